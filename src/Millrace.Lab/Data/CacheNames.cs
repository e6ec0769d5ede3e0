namespace Millrace.Lab.Data;

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
