
namespace Millrace.Lab.Comparing;

/// <summary>The places of methods among those with the same parameters.</summary>
internal static class Ranks
{
    /// <summary>The place of each case by median time, 1 the fastest; second copies have none.</summary>
    public static Dictionary<(string Method, CaseParameters Parameters), int> Of(IEnumerable<CaseResult> cases) => cases
        .Where(item => item is { Role: null, Summary: not null })
        .GroupBy(item => item.Parameters)
        .SelectMany(group => group.OrderBy(item => item.Summary!.WallNs.Median)
            .Select((item, index) => (Key: (item.Method, item.Parameters), Place: index + 1)))
        .ToDictionary(item => item.Key, item => item.Place);
}
