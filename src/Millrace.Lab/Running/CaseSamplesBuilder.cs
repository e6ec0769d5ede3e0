namespace Millrace.Lab.Running;

/// <summary>Makes the lists of samples that one process measured of a case, and joins those of several processes.</summary>
internal static class CaseSamplesBuilder
{
    // A case that failed has no samples.
    public static CaseResult Build(LabCase labCase, ProcessMeters meters, int launch)
    {
        var result = new CaseResult
        {
            Method = labCase.Planned.Name,
            Baseline = labCase.Planned is { Role: null, IsBaseline: true },
            Role = labCase.Planned.Role,
            Verified = labCase is { Error: null, Violation: null },
            UnverifiedReason = labCase.Violation,
            Error = labCase.Error,
            Parameters = labCase.Planned.Parameters,
            Strategy = labCase.Strategy,
            StrategyReason = labCase.StrategyReason,
            Unavailable = labCase.Planned.Foreign is { } foreign ? MeterSources.OwnOnly.ToDictionary(name => name, _ => foreign)
                : labCase.Planned.Unmanaged is { } unmanaged ? MeterSources.Managed.ToDictionary(name => name, _ => unmanaged)
                : labCase.NoObjectsReason is { } reason
                ? new Dictionary<string, string> { [MeterSources.AllocatedObjects] = reason }
                : null,
        };
        return labCase.Error is null ? result with { Samples = Samples(labCase, meters, launch) } : result;
    }

    private static CaseSamples Samples(LabCase labCase, ProcessMeters meters, int launch)
    {
        List<Sample> samples = labCase.Samples;
        int[] unverified =
            [.. Enumerable.Range(0, samples.Count).Where(index => samples[index].Violation is not null)];
        bool usage = meters.UsageReason is null && labCase.Planned.Foreign is null;
        bool io = meters.IoReason is null && labCase.Planned.Foreign is null;
        return new CaseSamples
        {
            Launch = [.. Enumerable.Repeat(launch, samples.Count)],
            Round = [.. samples.Select(sample => sample.Round)],
            WallNs = [.. samples.Select(sample => sample.WallNs)],
            UserCpuNs = [.. samples.Select(sample => sample.Used.UserCpuNs)],
            SystemCpuNs = [.. samples.Select(sample => sample.Used.SystemCpuNs)],
            CallingThreadNs = samples.Exists(sample => sample.CallingThreadNs > 0)
                ? [.. samples.Select(sample => sample.CallingThreadNs)]
                : null,
            MinorFaults = List(usage, sample => sample.MinorFaults),
            MajorFaults = List(usage, sample => sample.MajorFaults),
            VoluntarySwitches = List(usage, sample => sample.VoluntarySwitches),
            InvoluntarySwitches = List(usage, sample => sample.InvoluntarySwitches),
            LogicalReadBytes = List(io, sample => sample.LogicalReadBytes),
            PhysicalReadBytes = List(io, sample => sample.PhysicalReadBytes),
            ReadCalls = List(io, sample => sample.ReadCalls),
            LogicalWriteBytes = List(io, sample => sample.LogicalWriteBytes),
            PhysicalWriteBytes = List(io, sample => sample.PhysicalWriteBytes),
            WriteCalls = List(io, sample => sample.WriteCalls),
            ServerCpuNs = OfServer(use => use.CpuNs),
            ServerAllocatedBytes = OfServer(use => use.AllocatedBytes),
            ServerGen2 = OfServer(use => use.Gen2),
            ServerPeakResidentBytes = OfServer(use => use.PeakResidentBytes),
            LinkShare = samples.Count > 0 && samples.TrueForAll(sample => sample.LinkShare is not null)
                ? [.. samples.Select(sample => sample.LinkShare!.Value)]
                : null,
            NetworkBytes = samples.Count > 0 && samples.TrueForAll(sample => sample.NetworkBytes is not null)
                ? [.. samples.Select(sample => sample.NetworkBytes!.Value)]
                : null,
            OthersPagesLeft = Left(left => left.Others),
            OwnPagesLeft = Left(left => left.Own),
            Passes = Passes(labCase),
            Unverified = unverified.Length == 0 ? null : unverified,
        };

        long[]? List(bool available, Func<ProcessCounters, long> meter) =>
            available ? [.. samples.Select(sample => meter(sample.Used))] : null;

        double[]? Left(Func<PagesLeft, double> part) => samples.Count > 0 && samples.TrueForAll(sample => sample.Left is not null)
            ? [.. samples.Select(sample => part(sample.Left!.Value))]
            : null;

        // Null where one sample lacks it, as the lists of a case belong together.
        long[]? OfServer(Func<ServerUse, long?> meter)
        {
            long?[] values = [.. samples.Select(sample => sample.Server is { } use ? meter(use) : null)];
            return Array.Exists(values, value => value is null) ? null : [.. values.Select(value => value!.Value)];
        }
    }

    private static PassSamples? Passes(LabCase labCase)
    {
        List<AllocationSample> allocations = labCase.Allocations;
        bool allocated = allocations.Count > 0;
        bool called = labCase.SystemCalls.Count > 0;
        ObjectEstimate? objects = labCase.Objects;
        return allocated || called || objects is not null
            ? new PassSamples
            {
                AllocatedBytes = allocated ? [.. allocations.Select(sample => sample.Bytes)] : null,
                Gen0 = allocated ? [.. allocations.Select(sample => sample.Gen0)] : null,
                Gen1 = allocated ? [.. allocations.Select(sample => sample.Gen1)] : null,
                Gen2 = allocated ? [.. allocations.Select(sample => sample.Gen2)] : null,
                SystemCalls = called ? labCase.SystemCalls : null,
                LargeObjectBytes = labCase.LargeObjectBytes is { } large ? [large] : null,
                ServerLargeObjectBytes = labCase.ServerLargeObjectBytes is { } server ? [server] : null,
                AllocatedObjects = objects is { } estimate ? [estimate.Objects] : null,
                AllocatedObjectsStdDev = objects is { } spread ? [spread.StdDev] : null,
            }
            : null;
    }

    /// <summary>The cases of the plan, in its order, with the samples of all launches that measured them.</summary>
    public static SortedDictionary<int, CaseResult> Merge(IReadOnlyList<LaunchResult> launches) => new(launches
        .SelectMany(launch => launch.Cases.Select(item => (launch.Facts.Index, Plan: item.Key, Case: item.Value)))
        .GroupBy(item => item.Plan)
        .ToDictionary(group => group.Key, group => Join([.. group.Select(item => (item.Index, item.Case))])));

    private static CaseResult Join((int Launch, CaseResult Case)[] parts)
    {
        CaseResult first = parts[0].Case;
        (int Launch, CaseResult Case)[] failed = [.. parts.Where(part => part.Case.Error is not null)];
        if (failed.Length > 0)
        {
            // A method that fails now and then is one that fails.
            string where = parts.Length == 1 ? "" : $" (launch {failed[0].Launch + 1})";
            return first with
            {
                Verified = false,
                Error = failed[0].Case.Error + where,
                Samples = null,
            };
        }

        return first with
        {
            Verified = parts.All(part => part.Case.Verified),
            UnverifiedReason = parts.Select(part => part.Case.UnverifiedReason).FirstOrDefault(reason => reason is not null),
            Samples = Join([.. parts.Select(part => part.Case.Samples!)]),
            Unavailable = parts.Select(part => part.Case.Unavailable).FirstOrDefault(meters => meters is not null),
        };
    }

    private static CaseSamples Join(CaseSamples[] parts) => new()
    {
        Launch = [.. parts.SelectMany(part => part.Launch)],
        Round = [.. parts.SelectMany(part => part.Round)],
        WallNs = [.. parts.SelectMany(part => part.WallNs)],
        UserCpuNs = [.. parts.SelectMany(part => part.UserCpuNs)],
        SystemCpuNs = [.. parts.SelectMany(part => part.SystemCpuNs)],
        CallingThreadNs = Join(parts, part => part.CallingThreadNs),
        MinorFaults = Join(parts, part => part.MinorFaults),
        MajorFaults = Join(parts, part => part.MajorFaults),
        VoluntarySwitches = Join(parts, part => part.VoluntarySwitches),
        InvoluntarySwitches = Join(parts, part => part.InvoluntarySwitches),
        LogicalReadBytes = Join(parts, part => part.LogicalReadBytes),
        PhysicalReadBytes = Join(parts, part => part.PhysicalReadBytes),
        ReadCalls = Join(parts, part => part.ReadCalls),
        LogicalWriteBytes = Join(parts, part => part.LogicalWriteBytes),
        PhysicalWriteBytes = Join(parts, part => part.PhysicalWriteBytes),
        WriteCalls = Join(parts, part => part.WriteCalls),
        ServerCpuNs = Join(parts, part => part.ServerCpuNs),
        ServerAllocatedBytes = Join(parts, part => part.ServerAllocatedBytes),
        ServerGen2 = Join(parts, part => part.ServerGen2),
        ServerPeakResidentBytes = Join(parts, part => part.ServerPeakResidentBytes),
        LinkShare = Join(parts, part => part.LinkShare),
        NetworkBytes = Join(parts, part => part.NetworkBytes),
        OthersPagesLeft = Join(parts, part => part.OthersPagesLeft),
        OwnPagesLeft = Join(parts, part => part.OwnPagesLeft),
        Passes = parts.Select(part => part.Passes).FirstOrDefault(passes => passes is not null),
        Unverified = Unverified(parts),
    };

    // A meter that one of the processes lacked has no list that would fit the others.
    private static T[]? Join<T>(CaseSamples[] parts, Func<CaseSamples, IReadOnlyList<T>?> list) =>
        parts.All(part => list(part) is not null) ? [.. parts.SelectMany(part => list(part)!)] : null;

    private static int[]? Unverified(CaseSamples[] parts)
    {
        var indexes = new List<int>();
        int before = 0;
        foreach (CaseSamples part in parts)
        {
            int offset = before;
            indexes.AddRange((part.Unverified ?? []).Select(index => offset + index));
            before += part.WallNs.Count;
        }

        return indexes.Count == 0 ? null : [.. indexes];
    }
}
