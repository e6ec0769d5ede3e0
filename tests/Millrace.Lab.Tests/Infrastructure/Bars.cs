namespace Millrace.Lab.Tests.Infrastructure;

internal static class Bars
{
    public static BarResult Named(this IEnumerable<BarResult> bars, string figure) =>
        bars.Single(bar => bar.Figure.Contains(figure, StringComparison.Ordinal));
}
