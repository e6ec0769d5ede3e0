namespace Millrace.Lab.Tests.Infrastructure;

internal static class Bars
{
    /// <summary>The bar whose figure contains a text.</summary>
    public static BarResult Named(this IEnumerable<BarResult> bars, string figure) =>
        bars.Single(bar => bar.Figure.Contains(figure, StringComparison.Ordinal));
}
