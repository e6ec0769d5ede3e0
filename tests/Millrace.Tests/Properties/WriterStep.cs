namespace Millrace.Tests.Properties;

/// <summary>A call on a writer.</summary>
internal abstract record WriterStep
{
    /// <summary>Asks for so many bytes, fills some of them and advances.</summary>
    public sealed record Gather(int Hint, int Used) : WriterStep;

    /// <summary>Writes so many bytes.</summary>
    public sealed record Write(int Bytes) : WriterStep;

    public sealed record Flush : WriterStep;

    /// <summary>Flushes with a token that is canceled at once, or was before.</summary>
    public sealed record FlushWithToken(bool CanceledBefore) : WriterStep;

    public sealed record CancelPendingFlush : WriterStep;
}
