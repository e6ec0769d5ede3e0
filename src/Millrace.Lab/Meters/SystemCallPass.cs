namespace Millrace.Lab.Meters;

/// <summary>Counts the calls into the kernel that an invocation makes, in a separate pass as counting makes each of them slower.</summary>
internal sealed class SystemCallPass : IDisposable
{
    private const int Invocations = 3;

    // Of an invocation that takes so long one is enough: what differs between two is lost in it.
    private const double LongNs = 100e6;

    private readonly TracepointCounter? _counter;

    public SystemCallPass()
    {
        if (OperatingSystem.IsLinux())
        {
            _counter = TracepointCounter.TryOpen(out string? reason);
            Reason = reason;
        }
        else
        {
            Reason = "only on Linux (a perf tracepoint)";
        }
    }

    public string? Source => _counter is not null && OperatingSystem.IsLinux() ? TracepointCounter.Source : null;

    public string? Reason { get; }

    public void Measure(LabCase entry)
    {
        if (_counter is null || !OperatingSystem.IsLinux())
        {
            return;
        }

        // Threads that it starts later are counted with those that start them.
        using TracepointCounter? other = entry.WorkingProcess is { } process ? TracepointCounter.TryOpen(out _, process) : null;
        TracepointCounter counter = other ?? _counter;
        int invocations = entry.ExpectedNs > LongNs ? 1 : Invocations;
        for (int i = 0; i < invocations; i++)
        {
            entry.Prepare();

            // The cost of reading the counter twice.
            long empty = counter.Read();
            long first = counter.Read();
            entry.Invoke();
            long last = counter.Read();
            entry.Finish();
            entry.SystemCalls.Add(Math.Max(0, last - first - (first - empty)));
        }
    }

    public void Dispose()
    {
        if (OperatingSystem.IsLinux())
        {
            _counter?.Dispose();
        }
    }
}
