namespace Millrace.Lab.Running;

/// <summary>Runs every method on a small file until the compiler has nothing left to improve.</summary>
/// <remarks>
/// .NET compiles a method quickly first, counts 30 calls, compiles it again with counters in it, and after 30 more calls
/// compiles it a last time, each time in the background and only when nothing new has been compiled for 100 ms. A
/// method that runs once per file needs more than 60 files for that.
/// </remarks>
internal static class WarmUp
{
    /// <summary>Maximum number of phases, unless a suite overrides it.</summary>
    public const int MaxPhases = 10;
    private const int CallsPerPhase = 36;
    private const int MinPhases = 5;

    // Of some 3,000; what still trickles in then is the laboratory's own and the framework's, called once a phase.
    private const int Stragglers = 5;

    // The runtime's own delay before it compiles in the background is 100 ms. The compiler would then take processors from
    // the following calls, and from the measurement.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);
    private const int MaxPauses = 12;

    /// <param name="cases">Every method once, with parameters that make an invocation short.</param>
    /// <param name="compiledMethods">How often the runtimes have compiled a method so far, of all processes that take part.</param>
    public static WarmUpResult Run(
        IReadOnlyList<LabCase> cases,
        RoundRunner runner,
        ILabProgress progress,
        int most,
        Func<long> compiledMethods,
        CancellationToken stop)
    {
        int phase = 0;
        long compiled = 0;
        bool quiet = false;
        while (phase < most && !quiet && !stop.IsCancellationRequested)
        {
            progress.Report((double)phase / most, null, $"phase {phase + 1}");
            long before = compiledMethods();
            for (int call = 0; call < CallsPerPhase && !stop.IsCancellationRequested; call++)
            {
                foreach (LabCase entry in cases)
                {
                    runner.Try(entry, () => entry.Measure(round: -1));
                }
            }

            compiled = Settle(compiledMethods, stop) - before;
            phase++;
            quiet = phase >= MinPhases && compiled <= Stragglers;
        }

        return new WarmUpResult(phase, phase * CallsPerPhase, quiet);
    }

    private static long Settle(Func<long> compiledMethods, CancellationToken stop)
    {
        long compiled = compiledMethods();
        for (int i = 0; i < MaxPauses; i++)
        {
            stop.WaitHandle.WaitOne(Pause);
            long before = compiled;
            compiled = compiledMethods();
            if (compiled == before)
            {
                break;
            }
        }

        return compiled;
    }
}

internal sealed record WarmUpResult(int Phases, int CallsPerMethod, bool CompilerQuiet);
