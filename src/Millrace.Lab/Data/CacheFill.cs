namespace Millrace.Lab.Data;

/// <summary>
/// How a hot file got into the page cache. The kernel caches what was written or read at once in large folios, and
/// those are up to 2.5 times cheaper to map than single pages.
/// </summary>
public enum CacheFill
{
    /// <summary>Nothing is in the cache: cold cases.</summary>
    None,

    /// <summary>Written in pieces of 1 MiB.</summary>
    LargeWrites,

    /// <summary>Written in pieces of 4 KiB.</summary>
    SmallWrites,

    /// <summary>Dropped from the cache and read once from start to end.</summary>
    ReadBack,

    /// <summary>However it was found: this system cannot drop a file from its cache.</summary>
    AsFound,
}
