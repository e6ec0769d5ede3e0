using System.Diagnostics;
using System.Reflection;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Parameters;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;
using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>
/// Runs single invocations of one case through BenchmarkDotNet's engine, whenever the rounds ask for one. Not
/// thread-safe.
/// </summary>
internal sealed class CaseEngine : IDisposable
{
    private const double NsPerTick = 1e9;

    private readonly LabCase _case;
    private readonly IIterationState _state;
    private readonly IMeasuredBenchmark _benchmark;
    private readonly IEngine _engine;
    private readonly Action<long> _workload;
    private readonly ProcessMeters _meters;
    private ProcessCounters _before;
    private ProcessCounters _after;
    private string? _violation;
    private int _index;

    /// <summary>Makes an instance of the benchmark, sets its parameters and runs its global setup.</summary>
    public CaseEngine(LabCase labCase, IIterationState state, ProcessMeters meters)
    {
        _meters = meters;
        _case = labCase;
        _state = state;
        Descriptor descriptor = labCase.Benchmark.Descriptor;
        object instance = Activator.CreateInstance(descriptor.Type)!;
        foreach (ParameterInstance parameter in labCase.Benchmark.Parameters.Items)
        {
            PropertyInfo property = descriptor.Type.GetProperty(parameter.Name)!;
            property.SetValue(instance, parameter.Value);
        }

        _benchmark = (IMeasuredBenchmark)instance;
        _workload = BenchmarkActionFactory.CreateWorkload(descriptor, instance, unrollFactor: 1).InvokeNoUnroll;
        Action<long> overhead = BenchmarkActionFactory.CreateOverhead(descriptor, instance, unrollFactor: 1).InvokeNoUnroll;
        Action nothing = static () => { };
        _engine = new EngineFactory().CreateReadyToRun(new EngineParameters
        {
            Host = SilentHost.Instance,
            TargetJob = labCase.Benchmark.Job,
            BenchmarkName = labCase.Id,
            OperationsPerInvoke = 1,
            WorkloadActionNoUnroll = _workload,
            WorkloadActionUnroll = _workload,
            OverheadActionNoUnroll = overhead,
            OverheadActionUnroll = overhead,
            Dummy1Action = nothing,
            Dummy2Action = nothing,
            Dummy3Action = nothing,
            GlobalSetupAction = BenchmarkActionFactory.CreateGlobalSetup(descriptor, instance).InvokeSingle,
            GlobalCleanupAction = BenchmarkActionFactory.CreateGlobalCleanup(descriptor, instance).InvokeSingle,
            IterationSetupAction = BeforeMeasurement,
            IterationCleanupAction = AfterMeasurement,
            MeasureExtraStats = false,
        });
    }

    /// <summary>Measures one invocation.</summary>
    /// <exception cref="Exception">Whatever the method throws.</exception>
    public Sample Measure(int round, IterationStage stage = IterationStage.Actual)
    {
        Measurement measurement = _engine.RunIteration(
            new IterationData(IterationMode.Workload, stage, ++_index, invokeCount: 1, unrollFactor: 1));
        ProcessCounters used = _after - _before;
        Finish();
        return new Sample(
            round,
            measurement.Nanoseconds,
            used with { UserCpuNs = used.UserCpuNs + _state.ForeignCpuNs },
            (long)(_benchmark.CallingThreadTicks * (NsPerTick / Stopwatch.Frequency)),
            _violation,
            _state.Server,
            _state.LinkShare);
    }

    /// <summary>Runs once and notes what the method chose to do.</summary>
    public Sample Describe()
    {
        _benchmark.DescribesItself = true;
        try
        {
            Sample sample = Measure(round: -1, IterationStage.Warmup);
            _case.Strategy = _benchmark.Description;
            _case.StrategyReason = _benchmark.DescriptionReason;
            return sample;
        }
        finally
        {
            _benchmark.DescribesItself = false;
        }
    }

    /// <summary>Prepares the state and runs once without the engine, for passes that read meters of their own.</summary>
    public void Prepare() => _violation = _state.Prepare(_case);

    /// <summary>Looks at what the invocation left, and takes it away.</summary>
    /// <exception cref="Exception">It is not what the method should have left.</exception>
    public void Finish() => _state.Finish(_case);

    /// <summary>See <see cref="IIterationState.ServerLargeObjects"/>.</summary>
    public long? ServerLargeObjects() => _state.ServerLargeObjects();

    /// <summary>Runs once, with nothing around it.</summary>
    public void Invoke() => _workload(1);

    /// <inheritdoc/>
    public void Dispose() => ((IDisposable)_engine).Dispose();

    private void BeforeMeasurement()
    {
        Prepare();
        _before = _meters.ReadBefore();
    }

    private void AfterMeasurement() => _after = _meters.ReadAfter();
}
