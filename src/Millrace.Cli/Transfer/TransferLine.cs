using System.Text.Json;
using System.Text.Json.Serialization;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What became of a file; a line of `--json` of put and get. docs/put.md describes it.</summary>
internal sealed record TransferLine
{
    /// <summary>The file here; `-` for standard input or output.</summary>
    public required string File { get; init; }

    /// <summary>The file there.</summary>
    public required string Url { get; init; }

    /// <summary>Its name in the store.</summary>
    public required string Name { get; init; }

    /// <summary>Its bytes; null where it failed, as what is about its content.</summary>
    public long? Length { get; init; }

    /// <summary>Bytes that were moved now; fewer than <see cref="Length"/> when an earlier run was continued.</summary>
    public long? Sent { get; init; }

    /// <summary>SHA-256 in hexadecimal digits, the same at both ends.</summary>
    public string? Sha256 { get; init; }

    /// <summary>Its version with quotes.</summary>
    public string? Etag { get; init; }

    /// <summary>The protocol that carried it, or on which it failed.</summary>
    [JsonPropertyName("wire")]
    public string? Protocol { get; init; }

    /// <summary>1 without an interruption.</summary>
    public int? Attempts { get; init; }

    /// <summary>How long it took.</summary>
    public double? Seconds { get; init; }

    /// <summary>The kind of failure, a name of <see cref="TransferError"/>; null where it succeeded.</summary>
    public string? Error { get; init; }

    /// <summary>The server's HTTP status, where it gave one; null where it succeeded.</summary>
    public int? Status { get; init; }

    /// <summary>What failed and what can be done; null where it succeeded.</summary>
    public string? Message { get; init; }

    /// <summary>Of an outcome.</summary>
    public static TransferLine Of(TransferOutcome outcome) => new()
    {
        File = outcome.Item.Path,
        Url = outcome.Item.Url,
        Name = outcome.Item.Name.Value,
        Length = outcome.Result?.Length,
        Sent = outcome.Result?.Sent,
        Sha256 = outcome.Result?.Sha256?.ToString(),
        Etag = outcome.Result?.Tag?.ToString(),
        Protocol = (outcome.Result?.Protocol ?? (outcome.Error as TransferException)?.Protocol) is { } protocol ? ProtocolNames.Of(protocol) : null,
        Attempts = outcome.Result?.Attempts,
        Seconds = outcome.Result is null ? null : Math.Round(outcome.Seconds, 6),
        Error = outcome.Error is null ? null : TransferFailure.KindOf(outcome.Error),
        Status = (outcome.Error as TransferException)?.Status,
        Message = outcome.Error is null ? null : TransferFailure.Describe(outcome.Error),
    };

    /// <summary>Writes it in one line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, CommandJson.Line.TransferLine);
}
