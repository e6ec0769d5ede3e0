namespace Millrace.Lab.Results;

/// <summary>One process that measured all cases.</summary>
internal sealed record LaunchFacts
{
    /// <summary>Its index; <see cref="CaseSamples.Launch"/> refers to it.</summary>
    public required int Index { get; init; }

    /// <summary>When it began, UTC.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>How long it took.</summary>
    public required double DurationSeconds { get; init; }

    /// <summary>The seed of its shuffled order.</summary>
    public required int Seed { get; init; }

    /// <summary>Rounds of hot cases.</summary>
    public int HotRounds { get; init; }

    /// <summary>Rounds of cold cases.</summary>
    public int ColdRounds { get; init; }

    /// <summary>Whether the compiler had next to nothing left to do after its warm-up.</summary>
    public bool CompilerQuiet { get; init; }

    /// <summary>How many processes wanted a processor in the minute before it, where the system says.</summary>
    public double? LoadAverage { get; init; }
}
