namespace Millrace.Lab.Running;

/// <summary>
/// Measures a group of cases in rounds: each round visits every case once, in a newly shuffled order, so that a machine
/// that becomes slower or faster meanwhile does so for all of them.
/// </summary>
internal sealed class RoundRunner
{
    private readonly Random _shuffle;
    private readonly ILabProgress _progress;
    private readonly RunClock _clock;
    private readonly CancellationToken _stop;

    /// <param name="seed">Of the shuffled order; recorded in results.</param>
    public RoundRunner(int seed, RunClock clock, ILabProgress progress, CancellationToken stop)
    {
        _shuffle = new Random(seed);
        _clock = clock;
        _progress = progress;
        _stop = stop;
    }

    public bool WasCut { get; private set; }

    // Whether the run has to end, as the user wants or as its time is over. Asked only when there is more to do.
    private bool Ended => WasCut |= _stop.IsCancellationRequested || _clock.IsOver;

    /// <summary>Runs every case once without keeping the time, and learns how long it takes.</summary>
    public void Describe(IReadOnlyList<LabCase> cases)
    {
        for (int i = 0; i < cases.Count && !Ended; i++)
        {
            LabCase entry = cases[i];
            _progress.Report((double)i / cases.Count, _clock.Left, entry.Planned.Id);
            Try(entry, () => entry.ExpectedNs = entry.Describe().WallNs);
        }
    }

    /// <returns>How many rounds were begun.</returns>
    public int Run(IReadOnlyList<LabCase> cases, RunLimits limits)
    {
        LabCase[] order = [.. cases];
        var spent = cases.ToDictionary(entry => entry, _ => 0.0);
        var watch = Stopwatch.StartNew();
        int round = 0;
        while (round < limits.MaxRounds && (round < limits.MinRounds || watch.Elapsed < limits.Time) && !Ended)
        {
            if (round >= limits.MinRounds)
            {
                order = [.. order.Where(entry => spent[entry] < limits.CaseTime.TotalNanoseconds)];
                if (order.Length == 0)
                {
                    break;
                }
            }

            _shuffle.Shuffle(order);
            CollectGarbage();
            for (int i = 0; i < order.Length && !Ended; i++)
            {
                double byRounds = (round + ((double)i / order.Length)) / limits.MaxRounds;
                double done = Math.Max(byRounds, watch.Elapsed / limits.Time);
                _progress.Report(Math.Min(done, 1), Left(watch.Elapsed, done), order[i].Planned.Id);
                int had = order[i].Samples.Count;
                Visit(order[i], round, limits);
                spent[order[i]] += order[i].Samples.Skip(had).Sum(sample => sample.WallNs);
            }

            round++;
        }

        return round;
    }

    public void Pass(IReadOnlyList<LabCase> cases, Action<LabCase> action)
    {
        for (int i = 0; i < cases.Count && !Ended; i++)
        {
            LabCase entry = cases[i];
            _progress.Report((double)i / cases.Count, _clock.Left, entry.Planned.Id);
            Try(entry, () => action(entry));
        }
    }

    private TimeSpan? Left(TimeSpan elapsed, double done) =>
        done < 0.02 ? _clock.Left : (elapsed * ((1 - Math.Min(done, 1)) / done)) + _clock.AfterThisGroup;

    private void Visit(LabCase entry, int round, RunLimits limits)
    {
        int samples = entry.ExpectedNs <= 0
            ? 1
            : (int)Math.Clamp(limits.VisitTime.TotalNanoseconds / entry.ExpectedNs, 1, limits.MaxPerVisit);
        for (int i = 0; i < samples && !Ended; i++)
        {
            Try(entry, () => entry.Add(entry.Measure(round)));
        }
    }

    /// <summary>Does something with a case that has not failed; if it fails now, that is all that happens.</summary>
    public void Try(LabCase entry, Action action)
    {
        if (entry.Error is not null)
        {
            return;
        }

        try
        {
            action();
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            entry.Error = $"{exception.GetType().Name}: {exception.Message}";
            _progress.Note($"{entry.Planned.Id} failed: {entry.Error}");
        }
    }

    // The laboratory's own garbage of a round must not be collected within a measurement.
#pragma warning disable RS0030
    private static void CollectGarbage()
    {
        GC.Collect();

        // Pools trim themselves on the finalizer's thread after a collection.
        GC.WaitForPendingFinalizers();
    }
#pragma warning restore RS0030
}
