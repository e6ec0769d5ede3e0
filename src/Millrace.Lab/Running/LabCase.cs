using System.Runtime.CompilerServices;

namespace Millrace.Lab.Running;

/// <summary>
/// A case in the process that measures it: runs single invocations whenever the rounds ask for one, and keeps the
/// measurements. Not thread-safe.
/// </summary>
internal sealed class LabCase : IDisposable
{
    /// <summary>The role of a second copy of a case, which shows how much a method differs from itself.</summary>
    public const string NoiseRole = "noise";

    /// <summary>The suffix of the second copy's name.</summary>
    public const string NoiseSuffix = "Again";

    private static readonly double NsPerTick = 1e9 / Stopwatch.Frequency;

    private readonly CaseState _state;
    private readonly CaseMethod _method;
    private readonly Func<long> _invoke;
    private readonly ProcessMeters _meters;
    private string? _preparedViolation;

    public LabCase(PlannedCase planned, CaseState state, ProcessMeters meters)
    {
        Planned = planned;
        _state = state;
        _meters = meters;
        _method = planned.Create();
        _invoke = _method.Find(planned.Method);
    }

    public PlannedCase Planned { get; }
    public List<Sample> Samples { get; } = [];
    public string? Error { get; set; }

    /// <summary>The first reason why a sample's state was not as it should be.</summary>
    public string? Violation { get; private set; }
    public string? Strategy { get; private set; }
    public string? StrategyReason { get; private set; }

    // The results of the passes after the rounds.
    public List<AllocationSample> Allocations { get; } = [];
    public List<long> SystemCalls { get; } = [];
    public ObjectEstimate? Objects { get; set; }

    /// <summary>Why the objects could not be estimated; null when they were, or were not tried.</summary>
    public string? NoObjectsReason { get; set; }
    public long? LargeObjectBytes { get; set; }
    public long? ServerLargeObjectBytes { get; set; }

    /// <summary>How long an invocation takes according to the warm-up, in nanoseconds; 0 before it.</summary>
    public double ExpectedNs { get; set; }

    public static List<LabCase> CreateAll(
        IEnumerable<PlannedCase> plan, Func<PlannedCase, CaseState> state, ProcessMeters meters)
    {
        var cases = new List<LabCase>();
        try
        {
            foreach (PlannedCase planned in plan)
            {
                cases.Add(new LabCase(planned, state(planned), meters));
            }

            return cases;
        }
        catch
        {
            cases.ForEach(item => item.Dispose());
            throw;
        }
    }

    public void Add(in Sample sample)
    {
        Samples.Add(sample);
        Violation ??= sample.Violation;
    }

    /// <summary>Measures one invocation: a whole file takes long enough to be timed alone.</summary>
    public Sample Measure(int round)
    {
        Prepare();
        ProcessCounters before = _meters.ReadBefore();
        long ticks = Time();
        ProcessCounters used = _method.Used ?? (_meters.ReadAfter() - before);
        Finish();
        return new Sample(
            round,
            ticks * NsPerTick,
            used,
            (long)(_method.CallingThreadTicks * NsPerTick),
            _preparedViolation,
            _state.Server,
            _state.LinkShare,
            _method.NetworkBytes,
            _state.Left);
    }

    /// <summary>Runs once and notes the method's choices.</summary>
    public Sample Describe()
    {
        _method.DescribesItself = true;
        try
        {
            Sample sample = Measure(round: -1);
            Strategy = _method.Description;
            StrategyReason = _method.DescriptionReason;
            return sample;
        }
        finally
        {
            _method.DescribesItself = false;
        }
    }

    /// <inheritdoc cref="CaseMethod.WorkingProcess"/>
    public int? WorkingProcess => _method.WorkingProcess;

    // For passes, which read other meters.
    public void Prepare() => _preparedViolation = _state.Prepare();

    public void Invoke() => _invoke();

    public void Finish() => _state.Finish();

    public long? ServerLargeObjects() => _state.ServerLargeObjects();

    public void Dispose() => _method.Dispose();

    // Not inlined, so that nothing of the meters moves between the time stamps.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long Time()
    {
        long start = Stopwatch.GetTimestamp();
        _invoke();
        return Stopwatch.GetTimestamp() - start;
    }
}

/// <summary>The measurements of one invocation.</summary>
/// <param name="WallNs">From before the call until completion, in nanoseconds.</param>
/// <param name="CallingThreadNs">Inside the calls that read, in nanoseconds; 0 when not measured.</param>
/// <param name="Violation">The fault of the state before it; null if there was none.</param>
/// <param name="Server">The usage of a server in its own process meanwhile; null without one.</param>
/// <param name="LinkShare">The part of a link's bandwidth that it used after its first second; null without one.</param>
/// <param name="NetworkBytes">Bytes sent and received; null where they are not counted.</param>
/// <param name="Left">The pages left in the page cache; null where they were not counted.</param>
internal readonly record struct Sample(
    int Round,
    double WallNs,
    ProcessCounters Used,
    long CallingThreadNs,
    string? Violation,
    ServerUse? Server = null,
    double? LinkShare = null,
    long? NetworkBytes = null,
    PagesLeft? Left = null);

/// <summary>The parts of two files that are in the page cache after an invocation, 0 to 1.</summary>
/// <param name="Others">Of the file that others use.</param>
/// <param name="Own">Of the file that was read.</param>
internal readonly record struct PagesLeft(double Others, double Own);
