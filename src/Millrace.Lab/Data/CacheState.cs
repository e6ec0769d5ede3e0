namespace Millrace.Lab.Data;

/// <summary>Where a file's bytes are before an invocation. Set and verified before every one.</summary>
internal enum CacheState
{
    Hot,

    /// <summary>Less than 1 % of it is in the page cache.</summary>
    Cold,
}

/// <summary>
/// How a hot file got into the page cache. The kernel caches large writes and reads in large folios, and
/// those are up to 2.5 times cheaper to map than single pages.
/// </summary>
internal enum CacheFill
{
    None,
    LargeWrites,
    SmallWrites,

    /// <summary>Dropped from the cache and read once from start to end.</summary>
    ReadBack,

    /// <summary>However it was found: this system cannot drop a file from its cache.</summary>
    AsFound,
}

/// <summary>What results call the states of the cache and the ways to fill it.</summary>
internal static class CacheNames
{
    public const string Hot = "hot";
    public const string Cold = "cold";

    public static string ToText(CacheState state) => state == CacheState.Cold ? Cold : Hot;

    public static string? ToText(CacheFill fill) => fill switch
    {
        CacheFill.LargeWrites => "large writes",
        CacheFill.SmallWrites => "small writes",
        CacheFill.ReadBack => "read back",
        CacheFill.AsFound => "as found",
        _ => null,
    };

    public static CacheFill Parse(string? fill) =>
        Enum.GetValues<CacheFill>().FirstOrDefault(value => ToText(value) == fill);
}
