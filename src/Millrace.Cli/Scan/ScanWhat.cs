using System.Text.Json.Serialization;

namespace Millrace.Cli.Scan;

/// <summary>What a scan finds out.</summary>
internal enum ScanWhat
{
    /// <summary>How many line ends there are.</summary>
    [JsonStringEnumMemberName("lines")]
    Lines,

    /// <summary>How many records there are.</summary>
    [JsonStringEnumMemberName("records")]
    Records,

    /// <summary>How many bytes there are, every one of them read.</summary>
    [JsonStringEnumMemberName("bytes")]
    Bytes,

    /// <summary>How many records contain a text.</summary>
    [JsonStringEnumMemberName("find")]
    Find,

    /// <summary>The sum of 64-bit little-endian integers.</summary>
    [JsonStringEnumMemberName("sum")]
    Sum,
}
