using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>Counts the calls into the kernel that an invocation makes, in a pass of its own.</summary>
internal sealed class SystemCallPass : IDisposable
{
    private readonly ICallCounter? _all;
    private readonly ICallCounter? _reads;

    /// <summary>Opens what this system has.</summary>
    public SystemCallPass()
    {
        if (!OperatingSystem.IsLinux())
        {
            AllReason = ReadsReason = "only Linux tells (a perf tracepoint, /proc/self/io)";
            return;
        }

        _all = TracepointCounter.TryOpen(out string? allReason);
        _reads = ReadCallCounter.TryOpen(out string? readsReason);
        AllReason = allReason;
        ReadsReason = readsReason;
    }

    /// <summary>Where the number of all calls comes from; null when it is not available.</summary>
    public string? AllSource => _all?.Source;

    /// <summary>Why the number of all calls is not available; null when it is.</summary>
    public string? AllReason { get; }

    /// <summary>Where the number of reading calls comes from; null when it is not available.</summary>
    public string? ReadsSource => _reads?.Source;

    /// <summary>Why the number of reading calls is not available; null when it is.</summary>
    public string? ReadsReason { get; }

    /// <summary>Measures one invocation of a case.</summary>
    public void Measure(CaseEngineOf entry)
    {
        if (_all is not null)
        {
            entry.Case.SystemCalls = Count(_all, entry.Engine);
        }

        if (_reads is not null)
        {
            entry.Case.ReadCalls = Count(_reads, entry.Engine);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _all?.Dispose();
        _reads?.Dispose();
    }

    private static double Count(ICallCounter counter, CaseEngine engine)
    {
        engine.Prepare();

        // What reading the counter twice costs by itself.
        long empty = counter.Read();
        long first = counter.Read();
        engine.Invoke();
        long last = counter.Read();
        return Math.Max(0, last - first - (first - empty));
    }
}
