namespace Millrace.Lab.Results;

/// <summary>One aim of a suite, checked.</summary>
internal sealed record BarResult
{
    /// <summary>What is compared.</summary>
    public required string Figure { get; init; }

    /// <summary>The limit in words.</summary>
    public required string Limit { get; init; }

    /// <summary>What was measured, in words.</summary>
    public required string Measured { get; init; }

    /// <summary>Whether it was reached; null when the cases that it needs were not measured.</summary>
    public bool? Met { get; init; }
}
