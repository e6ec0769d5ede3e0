namespace Millrace.Lab.Tests.Infrastructure;

internal static class Targets
{
    public static TargetResult Named(this IEnumerable<TargetResult> targets, string figure) =>
        targets.Single(target => target.Figure.Contains(figure, StringComparison.Ordinal));
}
