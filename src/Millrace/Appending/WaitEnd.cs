namespace Millrace.Appending;

/// <summary>What ended the wait for a flush.</summary>
internal enum WaitEnd
{
    /// <summary>The log has done it, or failed at it.</summary>
    Ended,

    /// <summary><see cref="FilePipeWriter.CancelPendingFlush"/>.</summary>
    Canceled,

    /// <summary>The token.</summary>
    Token,
}
