
namespace Millrace.Lab.Comparing;

/// <summary>What became of the cases of a run in another one.</summary>
internal sealed record RunComparison
{
    /// <summary>The file of the reference.</summary>
    public required string Reference { get; init; }

    /// <summary>The file of what is compared with it.</summary>
    public required string Other { get; init; }

    /// <summary>The suite of both.</summary>
    public required string Suite { get; init; }

    /// <summary>By what they are compared.</summary>
    public required ComparisonBasis Basis { get; init; }

    /// <summary>Whether both are of one machine.</summary>
    public required bool SameMachine { get; init; }

    /// <summary>In what the machines, or the software on the one machine, differ.</summary>
    public IReadOnlyList<MachineDifference> Differences { get; init; } = [];

    /// <summary>
    /// By what the machine itself was slower in the other run, measured by the baseline, by state of the cache; 1 is no
    /// change.
    /// </summary>
    public IReadOnlyDictionary<string, double> Drift { get; init; } = new Dictionary<string, double>();

    /// <summary>What the reader has to know about this comparison.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>All cases that both runs have.</summary>
    public required IReadOnlyList<CaseComparison> Cases { get; init; }

    /// <summary>Why nothing can be said at all; null when something can.</summary>
    public string? Impossible { get; init; }

    /// <summary>How many cases have a verdict on time.</summary>
    public int Count(string verdict) => Cases.Count(item => item.Verdict.Verdict == verdict);
}
