using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// Before an invocation, an empty folder and what is read in the page cache; after it, what was written is compared and
/// removed.
/// </summary>
/// <param name="planned">The case.</param>
/// <param name="source">Controls the cache of what it reads; null where it reads nothing, and in warm-ups.</param>
internal sealed class ResultState(WritesCase planned, CacheControl? source) : IIterationState
{
    /// <inheritdoc/>
    public string? Prepare(LabCase labCase) => Prepare(planned, source);

    /// <inheritdoc/>
    public void Finish(LabCase labCase)
    {
        planned.Verify();
        ResultFolder.Clear(planned.Folder);
    }

    /// <summary>The same for a case that no engine runs.</summary>
    public static string? Prepare(WritesCase planned, CacheControl? source)
    {
        ResultFolder.Clear(planned.Folder);
        return source?.Prepare(CacheState.Hot, CacheFill.LargeWrites);
    }
}
