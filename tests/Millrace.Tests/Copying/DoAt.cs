namespace Millrace.Tests.Copying;

/// <summary>Sees the progress of a copy, on the copy's own thread, and may interfere.</summary>
internal sealed class DoAt(Action<FileCopyProgress> action) : IProgress<FileCopyProgress>
{
    /// <summary>All reports, in order.</summary>
    public List<FileCopyProgress> Seen { get; } = [];

    public void Report(FileCopyProgress value)
    {
        Seen.Add(value);
        action(value);
    }
}
