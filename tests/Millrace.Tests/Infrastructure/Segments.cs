namespace Millrace.Tests.Infrastructure;

/// <summary>Bytes in pieces, as a sequence of segments.</summary>
internal sealed class Segments : ReadOnlySequenceSegment<byte>
{
    private Segments(Segments? before, ReadOnlyMemory<byte> memory)
    {
        Memory = memory;
        if (before is not null)
        {
            before.Next = this;
            RunningIndex = before.RunningIndex + before.Memory.Length;
        }
    }

    /// <summary>A segment after another one.</summary>
    public static Segments Append(Segments? before, ReadOnlyMemory<byte> memory) => new(before, memory);

    /// <summary>A segment a piece; pieces may be empty.</summary>
    public static ReadOnlySequence<byte> Of(IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        Segments? first = null;
        Segments? last = null;
        foreach (ReadOnlyMemory<byte> piece in pieces)
        {
            last = new Segments(last, piece);
            first ??= last;
        }

        // Not default, which makes a PipeReader that fails with the read after an AdvanceTo.
        return first is null ? ReadOnlySequence<byte>.Empty : new ReadOnlySequence<byte>(first, 0, last!, last!.Memory.Length);
    }

    /// <summary>Cuts bytes into pieces of these lengths, over and over again.</summary>
    public static IEnumerable<ReadOnlyMemory<byte>> Cut(ReadOnlyMemory<byte> bytes, IReadOnlyList<int> lengths)
    {
        bool endless = lengths.All(length => length == 0);
        for (int turn = 0; !bytes.IsEmpty; turn++)
        {
            int length = endless ? bytes.Length : Math.Min(lengths[turn % lengths.Count], bytes.Length);
            yield return bytes[..length];
            bytes = bytes[length..];
        }
    }
}
