namespace Millrace.Lab.Results;

internal sealed record CaseParameters
{
    public int? Buffer { get; init; }
    public long? Bytes { get; init; }
    public string? Options { get; init; }
    public string? Cache { get; init; }
    public string? CacheFill { get; init; }
    public string? Load { get; init; }
    public string? File { get; init; }

    /// <summary>Where reading begins, in bytes; absent from the beginning of the file.</summary>
    public long? Offset { get; init; }

    /// <summary>The bytes that a file pipe reads at a time; absent where it chooses.</summary>
    public int? Block { get; init; }
    public string? Source { get; init; }
    public string? Content { get; init; }
    public int? Readers { get; init; }
    public int? Chunk { get; init; }
    public string? Durability { get; init; }
    public int? Degree { get; init; }
    public int? Writers { get; init; }
    public int? Records { get; init; }

    /// <summary>How many files of <see cref="Bytes"/> each are read or created; absent where it is one.</summary>
    public int? Files { get; init; }
    public string? Direction { get; init; }
    public string? Compression { get; init; }
    public string? Digest { get; init; }
    public string? Transport { get; init; }
    public int? Processes { get; init; }
    public int? RoundTripMs { get; init; }
    public long? LinkBitsPerSecond { get; init; }

    /// <summary>
    /// The parameters that a case shares with its baseline: some suites compare how much is done at once with the same work
    /// by one.
    /// </summary>
    public CaseParameters WithoutDegree() => this with { Degree = null, Writers = null };

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
            Offset is { } offset ? string.Create(CultureInfo.InvariantCulture, $"from {offset}") : "",
            Block is { } block ? string.Create(CultureInfo.InvariantCulture, $"blocks of {block}") : "",
            Direction ?? "",
            Digest ?? "",
            Durability ?? "",
            Compression is { } coding ? $"coding {coding}" : "",
            Transport ?? "",
            Count(Readers, "at once"),
            Count(Degree, "parts"),
            Count(Files, "files"),
            Count(Records, "records"),
            Count(Writers, "writers"),
            Count(Processes, "processes"),
            LinkBitsPerSecond is { } rate ? string.Create(CultureInfo.InvariantCulture, $"{rate / 1e6:0.###} Mbit/s") : "",
            Count(RoundTripMs, "ms"),
            Load is { } load ? $"load {load}" : "",
        ];
        return string.Join('/', parts.Where(part => part.Length > 0));
    }

    private static string Count(int? number, string unit) =>
        number is { } count ? string.Create(CultureInfo.InvariantCulture, $"{count} {unit}") : "";
}
