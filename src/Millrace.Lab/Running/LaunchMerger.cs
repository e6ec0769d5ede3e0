namespace Millrace.Lab.Running;

/// <summary>Joins what several processes measured of the same cases.</summary>
internal static class LaunchMerger
{
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
