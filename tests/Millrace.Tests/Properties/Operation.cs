namespace Millrace.Tests.Properties;

/// <summary>An operation on a reader. Numbers are fractions of what there is, in thousandths, so that all fit.</summary>
internal abstract record Operation
{
    public sealed record Read : Operation;

    public sealed record ReadSynchronously : Operation;

    public sealed record TryRead : Operation;

    public sealed record ReadAtLeast(int Bytes) : Operation;

    /// <summary>A read with a token that is canceled already.</summary>
    public sealed record ReadWithCanceledToken : Operation;

    /// <summary>Consumes a part of the last buffer and examines a part of the rest.</summary>
    public sealed record Advance(int Consumed, int Examined) : Operation;

    public sealed record CancelPendingRead : Operation;

    /// <summary>Goes to a place in the part that was opened, or a little after the end of the file.</summary>
    public sealed record Seek(int To) : Operation;

    /// <summary>Goes to a place in the last buffer.</summary>
    public sealed record SeekWithin(int To) : Operation;

    /// <summary>Copies to a stream that fails after so many writes.</summary>
    public sealed record CopyPart(int Writes) : Operation;
}
