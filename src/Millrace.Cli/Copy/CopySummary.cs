using System.Text.Json;

namespace Millrace.Cli.Copy;

/// <summary>What `millrace copy` did; docs/copy.md describes it as JSON.</summary>
internal sealed record CopySummary
{
    /// <summary>See <see cref="ExitCode"/>.</summary>
    public required int ExitCode { get; init; }

    /// <summary>Every file, in the order of copying; those that were not begun are left out.</summary>
    public required IReadOnlyList<CopiedFile> Files { get; init; }

    /// <summary>Length of all copies together, in bytes.</summary>
    public required long Bytes { get; init; }

    /// <summary>How long it took.</summary>
    public required double Seconds { get; init; }

    /// <summary>Writes it.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, CopyJson.Readable.CopySummary);
}
