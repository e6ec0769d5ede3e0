using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>One process's part of the suite: warm-up, what waits for no device, then what does.</summary>
internal sealed class WritesLaunch
{
    private readonly LaunchRequest _request;
    private readonly WritesLimits _limits;
    private readonly LaunchSession _session;
    private readonly WritesInputs _inputs;

    /// <summary>Makes a launch.</summary>
    public WritesLaunch(LaunchRequest request, WritesLimits limits, LaunchSession session)
    {
        _request = request;
        _limits = limits;
        _session = session;
        _inputs = new WritesInputs(request.Inputs);
    }

    /// <summary>Measures. What was measured until it had to end is always returned.</summary>
    public LaunchResult Run()
    {
        WritesCase[] plan = [.. WritesPlan.Select(_request.Options, _inputs).Where(CanBeMeasured)];
        WarmUp(plan);

        // In groups of their own: a device that is still busy with itself after a flush would show in what needs none.
        RunGroup([.. plan.Where(entry => !entry.IsDurable)], "unflushed", _limits.Unflushed, after: _limits.Durable.Time);
        RunGroup([.. plan.Where(entry => entry.IsDurable)], "durable", _limits.Durable, after: TimeSpan.Zero);
        ResultFolder.Clear(_inputs.Folder);
        return _session.Result();
    }

    private bool CanBeMeasured(WritesCase entry)
    {
        string? reason = StrategyProbe.WhyNot(entry)
            ?? (entry is CopyCase { Method: nameof(FileCopying.Cp) } && !File.Exists(FileCopying.CpProgram)
                ? $"there is no {FileCopying.CpProgram}"
                : entry.Source is { } source ? CacheControl.WhyNoHot(source) : null);
        if (reason is not null)
        {
            _session.Omit($"cases of {entry.Method}", reason);
        }

        return reason is null;
    }

    private void WarmUp(WritesCase[] plan)
    {
        _session.Phase("warming up");
        WritesCase[] small = [.. plan.Select(entry => entry.Small(_inputs) with { Role = null, Plan = 0 }).Distinct()];
        Establish(small);
        using EngineSet engines = EngineSet.Create(small, entry => new ResultState(entry, source: null), _session.Meters);
        _session.WarmUp(engines);
    }

    private void RunGroup(WritesCase[] plan, string name, RunLimits limits, TimeSpan after)
    {
        if (plan.Length == 0 || _session.IsStopped)
        {
            return;
        }

        _session.Phase("preparing files");
        Dictionary<TestFile, CacheControl> controls = Establish(plan).ToDictionary(file => file, CacheControl.Open);
        try
        {
            using EngineSet engines = EngineSet.Create(
                plan,
                entry => new ResultState(entry, entry.Source is { } source ? controls[source] : null),
                _session.Meters);
            _session.Measure(engines, name, isCold: false, limits, after);
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }

    private static TestFile[] Establish(WritesCase[] plan)
    {
        TestFile[] files = [.. plan.Select(entry => entry.Source).OfType<TestFile>().Distinct()];
        foreach (TestFile file in files)
        {
            CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
        }

        return files;
    }
}
