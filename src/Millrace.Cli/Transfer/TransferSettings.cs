using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What the commands that speak with a server have in common.</summary>
internal sealed record TransferSettings
{
    /// <summary>How the server is reached.</summary>
    public required TransferClientOptions Client { get; init; }

    /// <summary>Whether only errors are told.</summary>
    public bool Quiet { get; init; }

    /// <summary>Whether results and errors are told as JSON, one object a line.</summary>
    public bool Json { get; init; }
}
