using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>One process's part of the suite: warm-up, what waits for no device, then what does.</summary>
internal sealed class TransfersLaunch
{
    private readonly LaunchRequest _request;
    private readonly TransfersLimits _limits;
    private readonly LaunchSession _session;
    private readonly TransfersInputs _inputs;
    private readonly Lazy<string?> _noCore;

    /// <summary>Makes a launch.</summary>
    public TransfersLaunch(LaunchRequest request, TransfersLimits limits, LaunchSession session)
    {
        _request = request;
        _limits = limits;
        _session = session;
        _inputs = new TransfersInputs(request.Inputs);
        _noCore = new(() => CoreProgram.WhyNot(TransferFolders.DataOf(_inputs.Folder)));
    }

    /// <summary>Measures. What was measured until it had to end is always returned.</summary>
    public LaunchResult Run()
    {
        TransferFolders.Make(_inputs.Folder);
        TransferCase[] plan =
            [.. TransfersPlan.Select(_request.Options, _inputs, _request.Server).Where(CanBeMeasured)];
        WarmUp(plan);
        RunGroup(
            plan.Where(entry => entry is { Durability: Durability.None, Ends.Link: null }), "unflushed", _limits.Unflushed,
            after: _limits.Durable.Time);
        RunGroup(plan.Where(entry => entry.Durability != Durability.None), "durable", _limits.Durable, after: TimeSpan.Zero);

        // What an invocation takes on loopback is known by then, and each of these takes seconds.
        RunGroup(
            plan.Where(entry => entry.Ends.Link is not null), "linked", _limits.Linked, after: TimeSpan.Zero, withPasses: false);
        TransferFolders.Clear(_inputs.Folder);
        return _session.Result();
    }

    private bool CanBeMeasured(TransferCase entry)
    {
        if (CacheControl.WhyNoHot(entry.Source) is { } cold)
        {
            _session.Omit($"cases of {entry.Source}", cold);
            return false;
        }

        if (entry.UsesCore && _noCore.Value is { } reason)
        {
            _session.Omit("rows GrpcCore", reason);
            return false;
        }

        if (entry.Ends is { Server: { } near, Link: { } link } && LinkEndpoints.WhyNot(near, link) is { } missing)
        {
            _session.Omit("cases over a link", missing);
            return false;
        }

        return true;
    }

    // Buffers differ in how often a loop runs, and durable files in one call: what is compiled is the same.
    private void WarmUp(TransferCase[] plan)
    {
        _session.Phase("warming up");
        using EngineSet engines = EngineSet.Create(
            plan.Select(entry => entry.Small(_inputs) with { Durability = Durability.None })
                .DistinctBy(entry => (entry.Method, entry.Direction, entry.Compression, entry.Ends)),
            entry => new TransferState(entry, source: null),
            _session.Meters);
        _session.WarmUp(
            engines,
            _limits.WarmUpPhases,
            _request.Server is { } server ? () => ServerMeters.CompiledMethods(server) : null);
    }

    private void RunGroup(
        IEnumerable<TransferCase> plan, string name, RunLimits limits, TimeSpan after, bool withPasses = true)
    {
        TransferCase[] group = [.. plan];
        if (group.Length == 0 || _session.IsStopped)
        {
            return;
        }

        Dictionary<TestFile, CacheControl> controls =
            group.Select(entry => entry.Source).Distinct().ToDictionary(file => file, CacheControl.Open);
        try
        {
            using EngineSet engines = EngineSet.Create(
                group, entry => new TransferState(entry, controls[entry.Source]), _session.Meters);
            _session.Measure(engines, name, isCold: false, limits, after, withPasses);
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }
}
