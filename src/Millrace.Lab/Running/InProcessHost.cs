using Millrace.Lab.Suites;

namespace Millrace.Lab.Running;

/// <summary>Runs launches in this process, where a test looks into them.</summary>
internal sealed class InProcessHost : ILaunchHost
{
    private readonly Suite _suite;

    /// <summary>Takes the suite.</summary>
    public InProcessHost(Suite suite) => _suite = suite;

    /// <inheritdoc/>
    public LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop) =>
        _suite.Launch(request, progress, stop);

    /// <inheritdoc/>
    public MemoryResult MeasureMemory(MemoryRequest request) =>
        MemoryResult.Unavailable("all cases share one process, whose peak would be that of the greediest case so far");

    /// <inheritdoc/>
    public IServedFiles Serve(ServeRequest request) => _suite.Serve(request);
}
