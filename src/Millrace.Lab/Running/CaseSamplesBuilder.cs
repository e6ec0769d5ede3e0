using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>Turns what one process measured of a case into lists of samples.</summary>
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
            Passes = Passes(labCase),
            Unverified = unverified.Length == 0 ? null : unverified,
        };

        long[]? List(bool available, Func<ProcessCounters, long> meter) =>
            available ? [.. samples.Select(sample => meter(sample.Used))] : null;

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
}
