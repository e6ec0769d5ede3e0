namespace Millrace.Sources;

/// <summary>What came of asking a source for more bytes.</summary>
internal enum FillResult
{
    /// <summary>The window holds at least one byte more.</summary>
    Filled,

    /// <summary>The window holds at least one byte more, and nothing follows it.</summary>
    FilledLast,

    /// <summary>There is nothing after the window.</summary>
    EndOfFile,

    /// <summary>The bytes are on their way; nothing can be had without waiting.</summary>
    Pending,
}
