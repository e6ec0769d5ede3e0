using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Put;

/// <summary>What the user asked `millrace put` for.</summary>
internal sealed record PutArguments
{
    /// <summary>Files and folders; a dash for standard input.</summary>
    public required IReadOnlyList<string> Sources { get; init; }

    /// <summary>Where they go.</summary>
    public required TransferTarget Target { get; init; }

    /// <summary>What must be under the name.</summary>
    public required WritePrecondition Precondition { get; init; }

    /// <summary>Whether what a killed run began is continued.</summary>
    public required bool Continue { get; init; }

    /// <summary>How the server is reached, and what is told.</summary>
    public required TransferSettings Settings { get; init; }
}
