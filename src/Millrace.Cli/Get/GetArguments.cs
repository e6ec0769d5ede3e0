using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Get;

/// <summary>What the user asked `millrace get` for.</summary>
internal sealed record GetArguments
{
    /// <summary>The file or folder.</summary>
    public required TransferTarget Target { get; init; }

    /// <summary>Where it goes: a name, a folder, a dash for standard output; null for its own name.</summary>
    public required string? Destination { get; init; }

    /// <summary>How each file is downloaded.</summary>
    public required GetOptions Options { get; init; }

    /// <summary>How the server is reached, and what is told.</summary>
    public required TransferSettings Settings { get; init; }

    /// <summary>Whether the file goes to standard output.</summary>
    public bool ToStandardOutput => Destination == TransferItem.Standard;
}
