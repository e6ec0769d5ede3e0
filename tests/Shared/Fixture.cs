namespace Millrace.Lab.Tests.Results;

internal static class Fixture
{
    public static CaseResult Case(
        string method,
        int buffer,
        double medianMs,
        long bytes = FilesSuite.LargeSize,
        string cache = "hot",
        double allocated = 700,
        double gen0 = 0,
        double? callingThread = null) => new()
        {
            Method = method,
            Baseline = method == "FileStreamSync",
            Verified = true,
            Parameters = new CaseParameters
            {
                Buffer = buffer,
                Bytes = bytes,
                Options = "SequentialScan",
                Cache = cache,
                CacheFill = cache == "hot" ? "large writes" : null,
            },
            Samples = new CaseSamples
            {
                Launch = [0, 0],
                Round = [0, 1],
                WallNs = [medianMs * 0.9e6, medianMs * 1.1e6],
                UserCpuNs = [1_000_000, 2_000_000],
                SystemCpuNs = [3_000_000, 4_000_000],
                CallingThreadNs = callingThread is null ? null : [1, 2],
                MinorFaults = [3, 5],
                MajorFaults = [0, 0],
                VoluntarySwitches = [1, 2],
                InvoluntarySwitches = [0, 1],
                LogicalReadBytes = [bytes, bytes],
                PhysicalReadBytes = cache == "hot" ? [0, 0] : [bytes, bytes],
                ReadCalls = [90, 90],
                LogicalWriteBytes = [0, 0],
                PhysicalWriteBytes = [0, 0],
                WriteCalls = [0, 0],
                Passes = new PassSamples
                {
                    AllocatedBytes = [(long)allocated, (long)allocated],
                    Gen0 = [0, 0],
                    Gen1 = [0, 0],
                    Gen2 = [0, 0],
                    SystemCalls = [100],
                    AllocatedObjects = [allocated / 50],
                    AllocatedObjectsStdDev = [allocated / 500],
                    PeakResidentBytes = [50_000_000],
                    PeakOverIdleBytes = [1_000_000],
                },
            },
            Summary = new CaseSummary
            {
                WallNs = new Distribution
                {
                    N = 2,
                    Mean = medianMs * 1e6,
                    StdDev = 5,
                    Min = medianMs * 0.9e6,
                    P25 = medianMs * 0.95e6,
                    Median = medianMs * 1e6,
                    P75 = medianMs * 1.05e6,
                    P90 = medianMs * 1.08e6,
                    P99 = medianMs * 1.1e6,
                    Max = medianMs * 1.1e6,
                },
                Ratio = 0.5,
                RatioStdDev = 0.01,
                MedianRatio = 0.5,
                MibPerSecond = 128 / (medianMs / 1000),
                AllocatedBytes = allocated,
                AllocatedRatio = 2,
                AllocatedObjects = allocated / 50,
                AllocatedObjectsStdDev = allocated / 500,
                Gen0 = gen0,
                Gen1 = 0,
                Gen2 = 0,
                UserCpuNs = 1_500_000,
                SystemCpuNs = 3_500_000,
                CallingThreadShare = callingThread,
                CoresUsed = 1.4,
                MinorFaults = 4,
                MajorFaults = 0,
                ContextSwitches = 2,
                LogicalReadBytes = bytes,
                PhysicalReadBytes = cache == "hot" ? 0 : bytes,
                BytesFrom = cache == "hot" ? "page cache" : "disk",
                PeakResidentBytes = 50_000_000,
                PeakOverIdleBytes = 1_000_000,
                SystemCalls = 100,
                ReadCalls = 90,
                WriteCalls = 0,
                LogicalWriteBytes = 0,
                PhysicalWriteBytes = 0,
            },
            Verdicts = method == "FileStreamSync" ? null :
            [
                new VerdictResult
                {
                    Metric = "wallNs",
                    Against = "FileStreamSync",
                    Verdict = "faster",
                    Better = true,
                    Ratio = 0.5,
                    Low = 0.48,
                    High = 0.52,
                    Threshold = 0.05,
                },
            ],
            Unavailable = new Dictionary<string, string> { ["systemCalls"] = "not permitted" },
        };

    public static LabResults Run(params CaseResult[] cases) => new()
    {
        Schema = LabResults.CurrentSchema,
        Suite = "files",
        Mode = "quick",
        Command = "millrace lab files",
        Started = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
        DurationSeconds = 123.4,
        Seed = 42,
        Engine = new EngineFacts
        {
            Name = "BenchmarkDotNet 0.0.0",
            Millrace = "0.0.0",
            Build = "Release",
            WarmUpPhases = 5,
            WarmUpCalls = 180,
            CompilerQuiet = true,
            RuntimeSettings = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" },
        },
        Machine = new MachineFacts
        {
            Cpu = "A processor",
            Cores = 2,
            MemoryBytes = 4L * 1024 * 1024 * 1024,
            Os = "An OS",
            Kernel = "1.2.3",
            Architecture = "X64",
            Runtime = ".NET 10.0.0",
            GarbageCollector = "workstation",
            FileSystem = "ext4 (rw; discard)",
            Hypervisor = "KVM",
            Governor = "performance",
            Container = "docker",
            Mitigations = "spectre_v2: Retpolines",
            PhysicalCores = 1,
            CacheBytes = 32 * 1024 * 1024,
            HugePages = "madvise",
            LoadAverage = 0.25,
        },
        Meters = new Dictionary<string, string> { ["wallNs"] = "a clock" },
        Launches =
        [
            new LaunchFacts
            {
                Index = 0,
                Started = new DateTimeOffset(2026, 1, 2, 3, 4, 6, TimeSpan.Zero),
                DurationSeconds = 40.5,
                Seed = 43,
                HotRounds = 2,
                ColdRounds = 2,
                CompilerQuiet = true,
                LoadAverage = 0.5,
            },
        ],
        MeterCosts = [new MeterCost("getrusage", 812.5, "reading", "outside the measured time")],
        Absent = [new AbsentCases("cold cases", "no Linux")],
        Warnings = ["something | odd"],
        Noise =
        [
            new NoiseResult
            {
                Method = "FileStreamSync",
                Parameters = Case("FileStreamSync", 65536, 10).Parameters,
                MedianRatio = 1.05,
                Ratio = 1.04,
                RatioStdDev = 0.02,
                Deviation = 0.05,
            },
        ],
        Finding = "A finding.",
        Targets = [new TargetResult { Figure = "a / b", Limit = "≤ 1", Measured = "0.5", Met = true }],
        Cases = cases,
    };
}
