using BenchmarkDotNet.Mathematics;
using Millrace.Lab.Comparing;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>Turns what was measured into results.</summary>
internal static class FilesResults
{
    private const string NoPeak = "all cases share one process, whose peak would be that of the greediest case so far";

    /// <summary>Adds cases, noise, bars and the finding to what is known about the run.</summary>
    public static LabResults Build(LabResults run, IEnumerable<LabCase> measured, SystemCallPass calls)
    {
        LabCase[] cases =
        [
            .. measured
                .OrderBy(labCase => labCase.Parameters.Cache == CacheNames.Cold)
                .ThenBy(labCase => labCase.Parameters.Bytes)
                .ThenBy(labCase => labCase.Parameters.CacheFill, StringComparer.Ordinal)
                .ThenBy(labCase => labCase.Parameters.Options, StringComparer.Ordinal)
                .ThenBy(labCase => labCase.Parameters.Buffer)
                .ThenBy(labCase => MethodOrder(labCase.Benchmark.Descriptor.WorkloadMethod.Name))
                .ThenBy(labCase => labCase.Role is not null),
        ];
        Dictionary<CaseParameters, LabCase> baselines = cases
            .Where(labCase => labCase is { IsBaseline: true, Error: null })
            .ToDictionary(labCase => labCase.Parameters);
        LabResults results = run with
        {
            Cases = [.. cases.Select(labCase => Result(labCase, baselines.GetValueOrDefault(labCase.Parameters), calls))],
            Noise = [.. Noise(cases, baselines)],
        };
        return InRunVerdicts.Add(results with { Bars = FilesBars.Check(results), Finding = FilesFinding.Sentence(results) });
    }

    /// <summary>Says where numbers come from.</summary>
    public static IReadOnlyDictionary<string, string> Meters(SystemCallPass calls)
    {
        var meters = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            ["wallNs"] = "BenchmarkDotNet's engine (Stopwatch), one invocation per sample",
            ["userCpuNs"] = "the whole process, Environment.CpuUsage (getrusage where there is one)",
            ["systemCpuNs"] = "the whole process, Environment.CpuUsage (getrusage where there is one)",
            ["allocatedBytes"] = "GC.GetTotalAllocatedBytes, exact, in a pass of its own",
            ["callingThreadNs"] = "Stopwatch around every call that reads, without what is awaited; cold cases only",
        };
        if (calls.AllSource is { } all)
        {
            meters["systemCalls"] = all + ", one invocation in a pass of its own";
        }

        if (calls.ReadsSource is { } reads)
        {
            meters["readCalls"] = reads + ", one invocation in a pass of its own";
        }

        return meters;
    }

    private static CaseResult Result(LabCase labCase, LabCase? baseline, SystemCallPass calls)
    {
        var result = new CaseResult
        {
            Method = labCase.Method,
            Baseline = labCase.IsBaseline,
            Role = labCase.Role,
            Verified = labCase is { Error: null, Violation: null },
            UnverifiedReason = labCase.Violation,
            Error = labCase.Error,
            Parameters = labCase.Parameters,
            Strategy = labCase.Strategy,
            StrategyReason = labCase.StrategyReason,
        };
        return labCase.Error is null
            ? result with
            {
                Samples = Samples(labCase),
                Summary = Summary(labCase, baseline),
                Unavailable = Unavailable(labCase, calls),
            }
            : result;
    }

    private static CaseSamples Samples(LabCase labCase)
    {
        List<Sample> samples = labCase.Samples;
        int[] unverified =
            [.. Enumerable.Range(0, samples.Count).Where(index => samples[index].Violation is not null)];
        return new CaseSamples
        {
            Launch = new int[samples.Count],
            Round = [.. samples.Select(sample => sample.Round)],
            WallNs = [.. samples.Select(sample => sample.WallNs)],
            UserCpuNs = [.. samples.Select(sample => sample.UserCpuNs)],
            SystemCpuNs = [.. samples.Select(sample => sample.SystemCpuNs)],
            CallingThreadNs = HasCallingThread(labCase) ? [.. samples.Select(sample => sample.CallingThreadNs)] : null,
            Unverified = unverified.Length == 0 ? null : unverified,
        };
    }

    private static CaseSummary Summary(LabCase labCase, LabCase? baseline)
    {
        double[] wall = Wall(labCase);
        var statistics = new Statistics(wall);
        Statistics? ratios = baseline is null ? null : Summarizer.Ratios(Rounds(labCase), Rounds(baseline));
        AllocationResult? allocations = labCase.Allocations;
        return new CaseSummary
        {
            WallNs = Summarizer.Describe(statistics),
            Ratio = ratios?.Mean,
            RatioStdDev = ratios is { N: > 1 } ? ratios.StandardDeviation : null,
            MedianRatio = baseline is null ? null : statistics.Median / new Statistics(Wall(baseline)).Median,
            MibPerSecond = labCase.Parameters.Bytes!.Value / (double)ByteSize.MiB / (statistics.Median / 1e9),
            AllocatedBytes = allocations?.BytesPerInvocation,
            AllocatedRatio = baseline?.Allocations is { BytesPerInvocation: > 0 } other
                ? allocations?.BytesPerInvocation / other.BytesPerInvocation
                : null,
            Gen0 = allocations?.Gen0,
            Gen1 = allocations?.Gen1,
            Gen2 = allocations?.Gen2,
            UserCpuNs = new Statistics(labCase.Samples.Select(sample => (double)sample.UserCpuNs)).Mean,
            SystemCpuNs = new Statistics(labCase.Samples.Select(sample => (double)sample.SystemCpuNs)).Mean,
            CallingThreadShare = HasCallingThread(labCase)
                ? new Statistics(labCase.Samples.Select(sample => sample.CallingThreadNs / sample.WallNs)).Median
                : null,
            SystemCalls = labCase.SystemCalls,
            ReadCalls = labCase.ReadCalls,
        };
    }

    private static SortedDictionary<string, string> Unavailable(LabCase labCase, SystemCallPass calls)
    {
        var reasons = new SortedDictionary<string, string>(StringComparer.Ordinal) { ["peakResidentBytes"] = NoPeak };
        AddUnless(labCase.SystemCalls is not null, "systemCalls", calls.AllReason);
        AddUnless(labCase.ReadCalls is not null, "readCalls", calls.ReadsReason);
        AddUnless(labCase.Allocations is not null, "allocatedBytes", null);
        return reasons;

        void AddUnless(bool available, string meter, string? reason)
        {
            if (!available)
            {
                reasons[meter] = reason ?? "the run ended before the pass that counts it";
            }
        }
    }

    private static IEnumerable<NoiseResult> Noise(
        IEnumerable<LabCase> cases, Dictionary<CaseParameters, LabCase> baselines)
    {
        foreach (LabCase again in cases.Where(labCase => labCase is { Role: FileCase.NoiseRole, Error: null }))
        {
            if (baselines.GetValueOrDefault(again.Parameters) is not { } baseline
                || Summarizer.Ratios(Rounds(again), Rounds(baseline)) is not { } ratios)
            {
                continue;
            }

            double medians = new Statistics(Wall(again)).Median / new Statistics(Wall(baseline)).Median;
            yield return new NoiseResult
            {
                Method = baseline.Method,
                Parameters = again.Parameters,
                MedianRatio = medians,
                Ratio = ratios.Mean,
                RatioStdDev = ratios.N > 1 ? ratios.StandardDeviation : 0,
                Deviation = Math.Abs(medians - 1),
            };
        }
    }

    private static int MethodOrder(string method) => FilesPlan.Methods.TakeWhile(name => name != method).Count();

    private static double[] Wall(LabCase labCase) => [.. labCase.Samples.Select(sample => sample.WallNs)];

    private static IEnumerable<(int Round, double Value)> Rounds(LabCase labCase) =>
        labCase.Samples.Select(sample => (sample.Round, sample.WallNs));

    private static bool HasCallingThread(LabCase labCase) =>
        labCase.Samples.Exists(sample => sample.CallingThreadNs > 0);
}
