using Millrace.Lab.Data;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Running;

/// <summary>The one case that a process of its own runs, so that its peak of memory is the case's.</summary>
/// <param name="Suite">The suite's name.</param>
/// <param name="Options">What the user asked for.</param>
/// <param name="Inputs">The files.</param>
/// <param name="Plan">The case's index in the suite's plan.</param>
internal sealed record MemoryRequest(string Suite, LabOptions Options, IReadOnlyList<TestFile> Inputs, int Plan)
{
    /// <summary>Where a server has the files; null without one.</summary>
    public Uri? Server { get; init; }
}
