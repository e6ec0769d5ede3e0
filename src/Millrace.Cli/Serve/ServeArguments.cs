using Millrace.Transfer.Server;

namespace Millrace.Cli.Serve;

/// <summary>What the user asked `millrace serve` for.</summary>
internal sealed record ServeArguments
{
    /// <summary>What is served and where.</summary>
    public required TransferHostOptions Host { get; init; }

    /// <summary>Whether only errors are told.</summary>
    public bool Quiet { get; init; }

    /// <summary>Whether the addresses are told as one JSON line, and the log is JSON too.</summary>
    public bool Json { get; init; }
}
