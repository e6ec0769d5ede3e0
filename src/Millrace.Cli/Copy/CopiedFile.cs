namespace Millrace.Cli.Copy;

/// <summary>What became of one file; a line of `--json`.</summary>
internal sealed record CopiedFile
{
    /// <summary>As it was given, or found in a folder.</summary>
    public required string Source { get; init; }

    /// <summary>The name of the copy.</summary>
    public required string Destination { get; init; }

    /// <summary>Length of the copy, in bytes; null where there is none.</summary>
    public long? Bytes { get; init; }

    /// <summary>How many of them were read and written.</summary>
    public long? CopiedBytes { get; init; }

    /// <summary>How; see <see cref="CopyResult.Method"/>.</summary>
    public string? Method { get; init; }

    /// <summary>SHA-256 of the content, verified, in hexadecimal digits.</summary>
    public string? Sha256 { get; init; }

    /// <summary>Why there is none.</summary>
    public string? Error { get; init; }
}
