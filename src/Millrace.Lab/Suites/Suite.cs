using Millrace.Lab.Data;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites;

/// <summary>Ways to do the same thing, how one process measures them, and what they must reach.</summary>
public abstract class Suite
{
    private static readonly Dictionary<string, string> NoEnvironment = [];

    /// <summary>The suite's name, as the command and results call it.</summary>
    public abstract string Name { get; }

    /// <summary>What it measures, in a sentence.</summary>
    public abstract string Description { get; }

    /// <summary>Filters that show how to measure a few methods with the baseline, for help texts.</summary>
    public abstract IReadOnlyList<string> ExampleFilters { get; }

    /// <summary>Every method, in the order of tables.</summary>
    internal abstract IReadOnlyList<string> Methods { get; }

    /// <summary>What the environment of its processes has more, unless the user has set it.</summary>
    internal virtual IReadOnlyDictionary<string, string> Environment => NoEnvironment;

    /// <summary>How long it may take.</summary>
    internal abstract SuiteLimits Limits(LabMode mode);

    /// <summary>How many processes measure, unless the user says.</summary>
    internal int Launches(LabMode mode) => Limits(mode).Launches;

    /// <summary>What the passes of their own take in the first launch, as a part of what a launch takes without them.</summary>
    internal virtual double PassesAsLaunches => 0.4;

    /// <summary>After which nothing new begins; null for as long as it takes.</summary>
    /// <remarks>Who asks for more processes gets more time, but no process less than it would have had.</remarks>
    internal TimeSpan? Limit(LabMode mode, int launches)
    {
        SuiteLimits limits = Limits(mode);
        return limits.Total * Math.Max(1, (double)launches / limits.Launches);
    }

    /// <summary>Checks what the user asked for, and takes the files that are measured, before anything else happens.</summary>
    /// <exception cref="LabException">It cannot be measured.</exception>
    internal abstract SuiteInputs TakeInputs(LabOptions options);

    /// <summary>Whether what the user asked for needs a server, in a process of its own.</summary>
    internal virtual bool NeedsServer(LabOptions options, IReadOnlyList<TestFile> files) => false;

    /// <summary>Serves files from this process.</summary>
    /// <exception cref="LabException">It cannot.</exception>
    internal virtual IServedFiles Serve(ServeRequest request) =>
        throw new LabException($"The suite {Name} has no server.");

    /// <summary>Measures everything once in this process.</summary>
    internal abstract LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop);

    /// <summary>Measures the memory of one case in this process, which has done nothing else.</summary>
    internal abstract MemoryResult MeasureMemory(MemoryRequest request);

    /// <summary>Checks what the suite states as its aims.</summary>
    internal abstract IReadOnlyList<BarResult> Bars(LabResults results);

    /// <summary>Says the result in a sentence; null when there is too little.</summary>
    internal abstract string? Finding(LabResults results);
}
