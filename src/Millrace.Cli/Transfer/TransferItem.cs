using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>One file that is to be moved.</summary>
/// <param name="Path">The file here; <c>-</c> for standard input or output.</param>
/// <param name="Name">The file there.</param>
/// <param name="Url">The same, as a URL.</param>
/// <param name="Bytes">Its length as far as it is known before.</param>
internal sealed record TransferItem(string Path, TransferName Name, string Url, long? Bytes)
{
    /// <summary>What stands for standard input and output.</summary>
    public const string Standard = "-";

    /// <summary>Why it cannot be moved, found before anything was; null otherwise.</summary>
    public Exception? Refused { get; init; }

    /// <summary>For a person: the path, or what the dash stands for.</summary>
    public string Shown => Path == Standard ? "the standard stream" : Path;
}
