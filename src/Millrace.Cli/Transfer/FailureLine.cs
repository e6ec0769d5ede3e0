using System.Text.Json;

namespace Millrace.Cli.Transfer;

/// <summary>A failure that is not a file's, or that of a file that was only looked at or deleted; a line of `--json`.</summary>
/// <param name="Url">What it is about.</param>
/// <param name="Error">The kind of failure, a name of <see cref="Millrace.Transfer.TransferError"/>.</param>
/// <param name="Message">What failed and what can be done.</param>
internal sealed record FailureLine(string Url, string Error, string Message)
{
    /// <summary>Of an exception.</summary>
    public static FailureLine Of(string url, Exception exception) =>
        new(url, TransferFailure.KindOf(exception), TransferFailure.Describe(exception));

    /// <summary>Writes it in one line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, CommandJson.Line.FailureLine);
}
