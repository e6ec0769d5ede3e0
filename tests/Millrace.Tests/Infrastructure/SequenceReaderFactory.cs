namespace Millrace.Tests.Infrastructure;

/// <summary>The second reference: .NET's own reader over memory, in segments.</summary>
internal sealed class SequenceReaderFactory() : ReaderFactory(
    "PipeReader.Create(ReadOnlySequence)", ReaderTraits.KeepsWhatACopyLeft)
{
    private const int SegmentLength = 5_000;

    public override PipeReader Create(int length)
    {
        var first = new Segment(null, TestContent.Between(0, Math.Min(length, SegmentLength)));
        Segment last = first;
        for (int start = SegmentLength; start < length; start += SegmentLength)
        {
            last = new Segment(last, TestContent.Between(start, Math.Min(length, start + SegmentLength)));
        }

        return PipeReader.Create(new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length));
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(Segment? before, ReadOnlyMemory<byte> memory)
        {
            Memory = memory;
            if (before is not null)
            {
                before.Next = this;
                RunningIndex = before.RunningIndex + before.Memory.Length;
            }
        }
    }
}
