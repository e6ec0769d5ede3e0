namespace Millrace.Writing;

/// <summary>Where a <see cref="FlushWork"/> is.</summary>
internal enum FlushState
{
    /// <summary>Nothing to do and nothing to tell.</summary>
    Idle,

    /// <summary>A pool thread is at it.</summary>
    Running,

    /// <summary>It ended; the writer has not taken the result yet.</summary>
    Ended,

    /// <summary>It failed and the writer knows; the bytes are still there, to be tried again.</summary>
    Failed,
}
