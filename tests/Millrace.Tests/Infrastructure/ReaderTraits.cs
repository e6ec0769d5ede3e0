namespace Millrace.Tests.Infrastructure;

/// <summary>The promises of one reader beyond the contract that all of them keep.</summary>
[Flags]
public enum ReaderTraits
{
    None = 0,

    /// <summary>Every buffer is one segment. .NET's readers chain segments of 4 KiB.</summary>
    OneSegment = 1,

    /// <summary>
    /// A cursor that is not of the last buffer is refused. .NET's stream reader subtracts whatever it is given.
    /// </summary>
    ChecksCursors = 2,

    /// <summary>A second call while a read is pending is refused. .NET's stream reader does not look.</summary>
    ChecksConcurrency = 4,

    /// <summary>Can be made to wait for bytes. A sequence is all there from the beginning.</summary>
    Waits = 8,

    /// <summary>
    /// All that was examined is given up only for more: .NET's sequence reader has no more and hands out the same.
    /// </summary>
    HoldsBackExamined = 16,

    /// <summary>A canceled token cancels. .NET's sequence reader never waits and never looks.</summary>
    ObeysTokens = 32,

    /// <summary>TryRead reports the end. .NET's readers leave that to ReadAsync when no bytes are left.</summary>
    TellsEndByTryRead = 64,

    /// <summary>
    /// A copy that ends early leaves the bytes not copied. .NET's stream reader lets the stream copy itself, which reads
    /// more from the file than is written, and forgets a cancellation that it does not come to look at.
    /// </summary>
    KeepsWhatACopyLeft = 128,

    /// <summary>The source can be ended. A file that is followed only grows.</summary>
    CanBeEnded = 256,

    /// <summary>A file pipe.</summary>
    FilePipe = OneSegment | ChecksCursors | ChecksConcurrency | Waits | HoldsBackExamined | ObeysTokens
        | TellsEndByTryRead | KeepsWhatACopyLeft | CanBeEnded,
}
