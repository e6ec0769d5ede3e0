using System.Buffers;
using System.Diagnostics;

namespace Millrace.Transfer;

/// <summary>
/// The form of a packed step: numbers of 7 bits a byte, and names without the characters that they share with the one before.
/// </summary>
internal static class StepPacking
{
    [Flags]
    private enum Parts
    {
        None = 0,
        Source = 1,
        Target = 2,
        InTheWay = 4,
        Tag = 8,
        Sha256 = 16,
        Executable = 32,
        Link = 64,
    }

    /// <summary>Appends a step.</summary>
    /// <param name="packed">Where to.</param>
    /// <param name="step">The step.</param>
    /// <param name="last">The name before it; becomes its own.</param>
    public static void Write(ArrayBufferWriter<byte> packed, SyncStep step, ref string last)
    {
        Write(packed, (ulong)step.Action);
        Write(packed, (ulong)(PartOf(step.Source is not null, Parts.Source) | PartOf(step.Target is not null, Parts.Target) | PartOf(step.IsInTheWay, Parts.InTheWay)));
        Write(packed, step.Source, ref last);
        Write(packed, step.Target, ref last);
    }

    /// <summary>Reads a step.</summary>
    /// <param name="packed">Begins with it.</param>
    /// <param name="last">The name before it; becomes its own.</param>
    /// <param name="bytes">The bytes that it takes.</param>
    public static SyncStep Read(ReadOnlySpan<byte> packed, ref string last, out int bytes)
    {
        int at = 0;
        var action = (SyncAction)Read(packed, ref at);
        var parts = (Parts)Read(packed, ref at);
        SyncEntry? source = parts.HasFlag(Parts.Source) ? ReadEntry(packed, ref at, ref last) : null;
        SyncEntry? target = parts.HasFlag(Parts.Target) ? ReadEntry(packed, ref at, ref last) : null;
        bytes = at;
        return new SyncStep(action, source, target) { IsInTheWay = parts.HasFlag(Parts.InTheWay) };
    }

    private static Parts PartOf(bool has, Parts part) => has ? part : Parts.None;

    private static void Write(ArrayBufferWriter<byte> packed, SyncEntry? entry, ref string last)
    {
        if (entry is null)
        {
            return;
        }

        string name = entry.Name.Value;
        int shared = last.AsSpan().CommonPrefixLength(name);
        Write(packed, (ulong)shared);
        Write(packed, name.AsSpan(shared));
        last = name;
        Write(packed, (ulong)entry.Length);
        Write(packed, (ulong)((entry.Modified.Seconds << 1) ^ (entry.Modified.Seconds >> 63)));
        Write(packed, (ulong)entry.Modified.Nanoseconds);
        Write(packed, (ulong)(PartOf(entry.Tag is not null, Parts.Tag) | PartOf(entry.Sha256 is not null, Parts.Sha256)
            | PartOf(entry.IsExecutable, Parts.Executable) | PartOf(entry.LinkTarget is not null, Parts.Link)));
        if (entry.Tag is { } tag)
        {
            Write(packed, tag.Value);
        }

        if (entry.Sha256 is { } sha256)
        {
            sha256.CopyTo(packed.GetSpan(Sha256Digest.Bytes));
            packed.Advance(Sha256Digest.Bytes);
        }

        if (entry.LinkTarget is { } target)
        {
            Write(packed, target);
        }
    }

    private static SyncEntry ReadEntry(ReadOnlySpan<byte> packed, ref int at, ref string last)
    {
        int shared = (int)Read(packed, ref at);
        last = ReadText(packed, ref at, last.AsSpan(0, shared));
        bool isValid = TransferName.TryParse(last, out TransferName name);
        Debug.Assert(isValid || last.Length == 0, "Only valid names are packed.");
        long length = (long)Read(packed, ref at);
        ulong seconds = Read(packed, ref at);
        int nanoseconds = (int)Read(packed, ref at);
        var modified = new FileTime((long)(seconds >> 1) ^ -(long)(seconds & 1), nanoseconds);
        var parts = (Parts)Read(packed, ref at);
        EntityTag? tag = parts.HasFlag(Parts.Tag) ? new EntityTag(ReadText(packed, ref at, before: [])) : null;
        Sha256Digest? sha256 = null;
        if (parts.HasFlag(Parts.Sha256))
        {
            sha256 = new Sha256Digest(packed.Slice(at, Sha256Digest.Bytes));
            at += Sha256Digest.Bytes;
        }

        return new SyncEntry(name, length, modified, tag, sha256)
        {
            IsExecutable = parts.HasFlag(Parts.Executable),
            LinkTarget = parts.HasFlag(Parts.Link) ? ReadText(packed, ref at, before: []) : null,
        };
    }

    private static void Write(ArrayBufferWriter<byte> packed, ReadOnlySpan<char> text)
    {
        Write(packed, (ulong)text.Length);
        foreach (char one in text)
        {
            Write(packed, one);
        }
    }

    private static string ReadText(ReadOnlySpan<byte> packed, ref int at, ReadOnlySpan<char> before)
    {
        int length = (int)Read(packed, ref at);
        Span<char> text = before.Length + length <= 512 ? stackalloc char[before.Length + length] : new char[before.Length + length];
        before.CopyTo(text);
        for (int i = before.Length; i < text.Length; i++)
        {
            text[i] = (char)Read(packed, ref at);
        }

        return text.ToString();
    }

    private static void Write(ArrayBufferWriter<byte> packed, ulong value)
    {
        Span<byte> bytes = packed.GetSpan(10);
        int count = 0;
        for (; value >= 0x80; value >>= 7)
        {
            bytes[count++] = (byte)(value | 0x80);
        }

        bytes[count++] = (byte)value;
        packed.Advance(count);
    }

    private static ulong Read(ReadOnlySpan<byte> packed, ref int at)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte one = packed[at++];
            value |= (ulong)(one & 0x7F) << shift;
            if (one < 0x80)
            {
                return value;
            }
        }
    }
}
