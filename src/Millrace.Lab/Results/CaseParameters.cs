using System.Globalization;

namespace Millrace.Lab.Results;

/// <summary>The parameters of a case. Suites use those that they have; the others are null and absent in JSON.</summary>
internal sealed record CaseParameters
{
    /// <summary>Bytes that the method is asked for at a time.</summary>
    public int? Buffer { get; init; }

    /// <summary>Length of the file.</summary>
    public long? Bytes { get; init; }

    /// <summary>How a FileStream is opened.</summary>
    public string? Options { get; init; }

    /// <summary>"hot" or "cold".</summary>
    public string? Cache { get; init; }

    /// <summary>How a hot file got into the cache: "large writes", "small writes", "read back", "as found".</summary>
    public string? CacheFill { get; init; }

    /// <summary>The user's own file; null for a generated one.</summary>
    public string? File { get; init; }

    /// <summary>Where the bytes come from: "file" or "http"; null in suites that have one source only.</summary>
    public string? Source { get; init; }

    /// <summary>What the bytes are: "random" or "csv"; null in suites that have one kind only.</summary>
    public string? Content { get; init; }

    /// <summary>How many read at once, each all of the bytes.</summary>
    public int? Readers { get; init; }

    /// <summary>Bytes that the method is given to write at a time.</summary>
    public int? Chunk { get; init; }

    /// <summary>When what is written is on the device: "none", "commit" or "every record".</summary>
    public string? Durability { get; init; }

    /// <summary>In how many parts at once a file is read.</summary>
    public int? Degree { get; init; }

    /// <summary>How many append to one file at once.</summary>
    public int? Writers { get; init; }

    /// <summary>How many records they append, all together.</summary>
    public int? Records { get; init; }

    /// <summary>Which way a file goes between a client and a server: "download" or "upload".</summary>
    public string? Direction { get; init; }

    /// <summary>The coding of the bytes on their way: "none" or "gzip".</summary>
    public string? Compression { get; init; }

    /// <summary>What is computed of the bytes at both ends and compared: "none" or "sha-256".</summary>
    public string? Digest { get; init; }

    /// <summary>What carries the bytes: "sockets".</summary>
    public string? Transport { get; init; }

    /// <summary>2 when client and server are a process each, 1 when both are in the measuring one.</summary>
    public int? Processes { get; init; }

    /// <summary>Milliseconds that a round trip takes on a link between the two; null where there is none but loopback.</summary>
    public int? RoundTripMs { get; init; }

    /// <summary>Bits per second that such a link lets pass each way.</summary>
    public long? LinkBitsPerSecond { get; init; }

    /// <summary>
    /// What a case and its baseline have in common: how much is done at once is what some suites compare, the same work by
    /// one being the baseline.
    /// </summary>
    public CaseParameters WithoutDegree() => this with { Degree = null, Writers = null };

    /// <summary>All of it as one path, for filters and messages.</summary>
    public string Describe()
    {
        string[] parts =
        [
            File is null ? "" : Path.GetFileName(File),
            Source ?? "",
            Content ?? "",
            Bytes is { } bytes ? ByteSize.ToText(bytes, separator: "") : "",
            Buffer?.ToString(CultureInfo.InvariantCulture) ?? "",
            Chunk?.ToString(CultureInfo.InvariantCulture) ?? "",
            Options ?? "",
            Cache ?? "",
            CacheFill ?? "",
            Direction ?? "",
            Digest ?? "",
            Durability ?? "",
            Compression is { } coding ? $"coding {coding}" : "",
            Transport ?? "",
            Count(Readers, "at once"),
            Count(Degree, "parts"),
            Count(Records, "records"),
            Count(Writers, "writers"),
            Count(Processes, "processes"),
            LinkBitsPerSecond is { } rate ? string.Create(CultureInfo.InvariantCulture, $"{rate / 1e6:0.###} Mbit/s") : "",
            Count(RoundTripMs, "ms"),
        ];
        return string.Join('/', parts.Where(part => part.Length > 0));
    }

    private static string Count(int? number, string unit) =>
        number is { } count ? string.Create(CultureInfo.InvariantCulture, $"{count} {unit}") : "";
}
