namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>Runs single invocations of a case in this process.</summary>
internal static class OneCase
{
    public static Sample Measure(PlannedCase planned, CaseState? state = null)
    {
        using var meters = new ProcessMeters();
        using var item = new LabCase(planned, state ?? planned.CreateState(cache: null), meters);
        return item.Measure(round: 0);
    }

    public static (string? Strategy, string? Reason) Describe(PlannedCase planned)
    {
        using var meters = new ProcessMeters();
        using var item = new LabCase(planned, planned.CreateState(cache: null), meters);
        item.Describe();
        return (item.Strategy, item.StrategyReason);
    }

    /// <summary>The error of an invocation; null when it succeeded.</summary>
    public static string? Error(PlannedCase planned) => Record.Exception(() => Measure(planned))?.Message;
}

/// <summary>Runs launches in this process, where a test sees them.</summary>
internal sealed class InProcessHost(Suite suite) : ILaunchHost
{
    public LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop) =>
        SuiteLaunch.Run(suite, request, progress, stop);

    public MemoryResult MeasureMemory(MemoryRequest request) =>
        MemoryResult.Unavailable("all cases share one process, whose peak would be that of the largest case so far");

    public IServedFiles Serve(ServeRequest request) => suite.Serve(request);
}
