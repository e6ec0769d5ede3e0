namespace Millrace.Tests.Sequences;

/// <summary>A walk that ends after a number of elements, or with its source.</summary>
internal abstract record SequenceWalk(int Count)
{
    public sealed record Bytes(int Count) : SequenceWalk(Count);

    public sealed record SegmentWalk(int Count) : SequenceWalk(Count);

    public sealed record Lines(int Count, int MaxLength) : SequenceWalk(Count);

    public sealed record Records(int Count, int Kind, ByteOrder ByteOrder) : SequenceWalk(Count);

    /// <summary>A walk with a delegate, which throws at a number of calls.</summary>
    public sealed record ForEach(int Count) : SequenceWalk(Count);

    /// <summary>A walk with a token that is cancelled already.</summary>
    public sealed record Cancelled() : SequenceWalk(0);
}
