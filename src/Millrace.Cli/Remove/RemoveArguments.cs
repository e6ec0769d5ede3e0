using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Remove;

/// <summary>What the user asked `millrace rm` for.</summary>
internal sealed record RemoveArguments
{
    /// <summary>Files, or folders with <see cref="Recursive"/>.</summary>
    public required IReadOnlyList<TransferTarget> Targets { get; init; }

    /// <summary>What must be under a name.</summary>
    public required WritePrecondition Precondition { get; init; }

    /// <summary>Whether folders are deleted with everything in them.</summary>
    public required bool Recursive { get; init; }

    /// <summary>Whether nobody is asked.</summary>
    public required bool Yes { get; init; }

    /// <summary>How the server is reached, and what is told.</summary>
    public required TransferSettings Settings { get; init; }
}
