using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Meters;

internal static class MeterCostProbe
{
    private const int Readings = 500;
    private const int Calls = 2_000;
    private const int Repetitions = 15;
    private const string Reading = "reading";
    private const string Outside = "outside the measured time";
    private const string OwnPass = "in a separate pass";

    /// <summary>Measures all of them; takes some tens of milliseconds.</summary>
    public static IReadOnlyList<MeterCost> Measure(ProcessMeters meters)
    {
        var costs = new List<MeterCost>
        {
            new("processor time, page faults, context switches, bytes and reading calls", MedianNs(() => meters.ReadBefore()), Reading, Outside),
            new("allocated bytes", MedianNs(() => GC.GetTotalAllocatedBytes(precise: true)), Reading, OwnPass),
            new("an empty invocation, as it is measured", EmptyInvocationNs(meters), "invocation", "inside the measured time"),
        };
        if (OperatingSystem.IsLinux())
        {
            costs.Add(new("peak memory", MedianNs(OwnPeak), Reading, "in a separate process"));
            if (TracepointNs() is { } added)
            {
                costs.Add(new("system calls, what counting adds", added, "system call", OwnPass));
            }
        }

        return costs;
    }

    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static long OwnPeak() => PeakMemory.ReadPeak();

    private static double MedianNs<T>(Func<T> read)
    {
        double[] times = new double[Readings];
        for (int i = 0; i < times.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            _ = read();
            times[i] = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        }

        return new Statistics(times).Median;
    }

    private static double EmptyInvocationNs(ProcessMeters meters)
    {
        var planned = new EmptyCase();
        using var empty = new LabCase(planned, new CaseState(planned, cache: null), meters);
        return new Statistics(Enumerable.Range(0, Readings).Select(i => empty.Measure(i).WallNs)).Median;
    }

    // A counter counts from when it is opened; the difference between calls beside an open one and without.
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static double? TracepointNs()
    {
        var without = new List<double>();
        var with = new List<double>();
        for (int i = 0; i < Repetitions; i++)
        {
            without.Add(CallNs());
            using TracepointCounter? counter = TracepointCounter.TryOpen(out _);
            if (counter is null)
            {
                return null;
            }

            with.Add(CallNs());
        }

        return Math.Max(0, new Statistics(with).Median - new Statistics(without).Median);
    }

    private static double CallNs()
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Calls; i++)
        {
            // Whatever it answers: it is a call into the kernel that does next to nothing.
            _ = LinuxFile.Access("", LinuxFile.AccessWrite);
        }

        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / Calls;
    }

    // An invocation that does nothing: only the measuring itself is measured.
    private sealed record EmptyCase() : PlannedCase("Nothing", Role: null)
    {
        public override bool IsBaseline => false;

        public override CaseParameters Parameters { get; } = new();

        public override CaseMethod Create() => new EmptyMethod();
    }

    private sealed class EmptyMethod : CaseMethod
    {
        public override Func<long> Find(string name) => static () => 0;
    }
}
