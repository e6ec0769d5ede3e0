using Millrace.Lab.Advising.Ways;
using Millrace.Lab.Published;

namespace Millrace.Lab.Advising.Claims;

/// <summary>The published ways to read bytes from an address, by our names, and the ratios between them.</summary>
internal static class PublishedWays
{
    /// <summary>A table of medians for each machine.</summary>
    public static IReadOnlyList<PublishedTable> Machines =>
    [
        .. PublishedFigures.Get(PublishedRange.UrlBytes).Tables
            .Where(table => table.Name.EndsWith("medians", StringComparison.Ordinal)),
    ];

    /// <summary>Whether a method of ours was published.</summary>
    public static bool Has(string method) => Machines[0].Rows.Any(row => row.OurMethod == method);

    /// <summary>Figures of rows by those of the rows that they are held against, on every machine.</summary>
    /// <param name="column">"wall" or "peak".</param>
    /// <param name="against">The other way, or null for ways that are not compared.</param>
    public static IEnumerable<double> Ratios(string column, Func<Way, Way?> against) =>
        from table in Machines
        from row in table.Rows
        let other = against(Way.Of(row.OurMethod!))
        where other is not null
        let their = table.Rows.First(item => item.OurMethod == other.Value.ToString())
        select table.Figure(row, column)!.Value / table.Figure(their, column)!.Value;

    /// <summary>A walk's times by those of another walk of the same arrival: "1.22 to 1.28 times".</summary>
    public static string OfWalks(string column, string[] walks, string other, params string[] arrivals) => Figures.Times(
        Ratios(column, way => walks.Contains(way.Walk) && arrivals.Contains(way.Arrival) ? way with { Walk = other } : null));
}
