namespace Millrace.Lab.Suites;

/// <summary>How long a suite may take; each suite adds what its own parts may.</summary>
internal abstract record SuiteLimits
{
    /// <summary>The whole run with that many launches; null for no limit.</summary>
    public TimeSpan? Total { get; init; }

    /// <summary>How many processes measure, unless the user says.</summary>
    public int Launches { get; init; } = 3;
}
