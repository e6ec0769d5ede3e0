using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>Files to move, and how.</summary>
internal sealed record TransferJob
{
    /// <summary>The command, for messages: <c>put</c>.</summary>
    public required string Command { get; init; }

    /// <summary>What a result begins with: <c>Put</c>.</summary>
    public required string Verb { get; init; }

    /// <summary>What the user asked for.</summary>
    public required TransferSettings Settings { get; init; }

    /// <summary>The files.</summary>
    public required IReadOnlyList<TransferItem> Items { get; init; }

    /// <summary>Moves one of them; called for several at once.</summary>
    public required Func<TransferItem, IProgress<TransferProgress>, CancellationToken, Task<TransferResult>> Move { get; init; }

    /// <summary>Where results are told; standard error when standard output is a file's content.</summary>
    public required TextWriter Output { get; init; }

    /// <summary>Where a file came from and went to, for a line about it.</summary>
    public required Func<TransferItem, string> Describe { get; init; }

    /// <summary>Whether the same command continues what was stopped.</summary>
    public required bool Continues { get; init; }
}
