namespace Millrace.Lab.Results;

/// <summary>What ran the cases and how.</summary>
internal sealed record EngineFacts
{
    /// <summary>For example "Millrace.Lab 0.1.0".</summary>
    public required string Name { get; init; }

    /// <summary>The Millrace version.</summary>
    public required string Millrace { get; init; }

    /// <summary>"Release" or "Debug".</summary>
    public required string Build { get; init; }

    /// <summary>How many phases the warm-up took.</summary>
    public int WarmUpPhases { get; init; }

    /// <summary>How often each method ran during the warm-up.</summary>
    public int WarmUpCalls { get; init; }

    /// <summary>Whether the compiler had next to nothing left to do at its end.</summary>
    public bool CompilerQuiet { get; init; }

    /// <summary>Settings of the runtime that the environment changes from their defaults.</summary>
    /// <remarks>The serializer gives what an older file lacks as null.</remarks>
    public IReadOnlyDictionary<string, string> RuntimeSettings { get; init => field = value ?? None; } = None;

    private static IReadOnlyDictionary<string, string> None { get; } = new Dictionary<string, string>();
}
