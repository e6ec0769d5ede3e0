using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>One process's part of the suite: warm-up, then groups of hot and of cold cases.</summary>
internal sealed class FilesLaunch
{
    private readonly LaunchRequest _request;
    private readonly FilesLimits _limits;
    private readonly LaunchSession _session;

    /// <summary>Makes a launch.</summary>
    public FilesLaunch(LaunchRequest request, FilesLimits limits, LaunchSession session)
    {
        _request = request;
        _limits = limits;
        _session = session;
    }

    /// <summary>Measures. What was measured until it had to end is always returned.</summary>
    public LaunchResult Run()
    {
        IReadOnlyList<FileCase> plan = FilesPlan.Select(_request.Options, _request.Inputs);
        WarmUp(plan);
        foreach (IGrouping<(CacheState Cache, CacheFill Order), FileCase> group in Groups(plan))
        {
            RunGroup([.. group], group.Key.Cache);
        }

        return _session.Result();
    }

    private static IEnumerable<IGrouping<(CacheState Cache, CacheFill Fill), FileCase>> Groups(
        IEnumerable<FileCase> plan) => plan
        .GroupBy(entry => (entry.Cache, entry.Fill == FilesPlan.DefaultFill(entry.Source) ? CacheFill.None : entry.Fill))
        .OrderBy(group => group.Key);

    private void WarmUp(IReadOnlyList<FileCase> plan)
    {
        _session.Phase("warming up");
        TestFile small = TestFile.OfIncrements(FilesSuite.DataPath(_request.Options), _limits.WarmUpBytes);
        CacheControl.EstablishOrExplain(small, CacheFill.LargeWrites);
        FileCase[] cases =
        [
            .. from entry in plan.DistinctBy(entry => (entry.Method, entry.Options, entry.Cache))
               from buffer in new[] { FilesPlan.Buffers[1], FilesPlan.Buffers[4] }
               select entry with { Source = small, Buffer = buffer, Role = null, Fill = CacheFill.LargeWrites },
        ];
        using EngineSet engines = EngineSet.Create(cases, _ => NoCachePreparation.Instance, _session.Meters);
        _session.WarmUp(engines);
    }

    private void RunGroup(FileCase[] plan, CacheState cache)
    {
        plan = [.. plan.Where(entry => cache == CacheState.Hot ? CanBeHot(entry.Source) : CanBeCold(entry.Source))];
        TestFile[] files = [.. plan.Select(entry => entry.Source).Distinct()];
        if (plan.Length == 0 || _session.IsStopped)
        {
            return;
        }

        _session.Phase(cache == CacheState.Hot ? "preparing files" : "preparing cold files");
        var fills = files.ToDictionary(
            file => file,
            file => CacheControl.EstablishOrExplain(
                file,
                cache == CacheState.Cold
                    ? FilesPlan.DefaultFill(file)
                    : plan.First(entry => entry.Source == file).Fill));
        if (cache == CacheState.Hot)
        {
            plan = [.. plan.Select(entry => entry with { Fill = fills[entry.Source] })];
        }

        Dictionary<TestFile, CacheControl> controls = files.ToDictionary(file => file, CacheControl.Open);
        try
        {
            using EngineSet engines = EngineSet.Create(plan, entry => controls[entry.Source], _session.Meters);
            if (cache == CacheState.Hot)
            {
                _session.Measure(engines, CacheNames.Hot, isCold: false, _limits.Hot, after: _limits.Cold.Time);
            }
            else
            {
                _session.Measure(engines, CacheNames.Cold, isCold: true, _limits.Cold, after: TimeSpan.Zero);
            }
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }

    private bool CanBeHot(TestFile file) => CanBe("hot cases", CacheControl.WhyNoHot(file));

    private bool CanBeCold(TestFile file) => CanBe("cold cases", CacheControl.WhyNoCold(file));

    private bool CanBe(string what, string? reasonNot)
    {
        if (reasonNot is not null)
        {
            _session.Omit(what, reasonNot);
        }

        return reasonNot is null;
    }
}
