namespace Millrace.Lab.Data;

/// <summary>Where a file's bytes are before an invocation. Set and verified before every one.</summary>
public enum CacheState
{
    /// <summary>All of it is in the page cache.</summary>
    Hot,

    /// <summary>Less than 1 % of it is in the page cache.</summary>
    Cold,
}
