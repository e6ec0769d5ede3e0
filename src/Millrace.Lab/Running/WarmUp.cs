using System.Runtime;

namespace Millrace.Lab.Running;

/// <summary>Runs every method on a small file until the compiler has nothing left to improve.</summary>
/// <remarks>
/// .NET compiles a method quickly first, counts 30 calls, compiles it again with counters in it, and after 30 more calls
/// compiles it a last time, each time in the background and only when nothing new has been compiled for 100 ms. A
/// method that runs once per file needs more than 60 files for that.
/// </remarks>
internal static class WarmUp
{
    /// <summary>Phases at most, unless a suite says otherwise.</summary>
    public const int MaximumPhases = 10;

    private const int CallsPerPhase = 36;
    private const int MinimumPhases = 5;

    // Of some 3,000; what still trickles in then is the laboratory's own and the framework's, called once a phase.
    private const int Stragglers = 5;

    // The runtime's own delay before it compiles in the background is 100 ms; then the compiling itself.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    /// <summary>Warms up.</summary>
    /// <param name="cases">Every method once, with parameters that make an invocation short.</param>
    /// <param name="runner">Keeps track of failures.</param>
    /// <param name="progress">Is told of every phase.</param>
    /// <param name="most">Phases at most.</param>
    /// <param name="stop">Ends it.</param>
    public static WarmUpResult Run(
        IReadOnlyList<CaseEngineOf> cases, RoundRunner runner, ILabProgress progress, int most, CancellationToken stop)
    {
        int phase = 0;
        long compiled = 0;
        bool quiet = false;
        while (phase < most && !quiet && !stop.IsCancellationRequested)
        {
            progress.Report((double)phase / most, null, $"phase {phase + 1}");
            long before = JitInfo.GetCompiledMethodCount();
            for (int call = 0; call < CallsPerPhase && !stop.IsCancellationRequested; call++)
            {
                foreach (CaseEngineOf entry in cases)
                {
                    runner.Try(entry, () => entry.Engine.Measure(round: -1));
                }
            }

            stop.WaitHandle.WaitOne(Pause);
            compiled = JitInfo.GetCompiledMethodCount() - before;
            phase++;
            quiet = phase >= MinimumPhases && compiled <= Stragglers;
        }

        return new WarmUpResult(phase, phase * CallsPerPhase, quiet);
    }
}
