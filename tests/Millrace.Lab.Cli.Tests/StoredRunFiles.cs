namespace Millrace.Lab.Cli.Tests;

/// <summary>Results as a run of three launches would write them, with fixed numbers.</summary>
internal static class StoredRunFiles
{
    private const int Launches = 3;
    private const int Rounds = 12;

    /// <summary>The folder of a committed run of the suite `files`.</summary>
    public static string CommittedFiles { get; } =
        Path.Combine(Repository.Root, "results", "intel-xeon-2-cores-linux-6.18", "files");

    /// <summary>The same of the suite `bytes`.</summary>
    public static string CommittedBytes { get; } = Path.Combine(Path.GetDirectoryName(CommittedFiles)!, "bytes");

    private static readonly int[] Buffers = [4096, 16384, 65536];

    /// <summary>Writes one into a separate folder.</summary>
    /// <returns>The folder.</returns>
    public static string Write(
        string root,
        string name,
        double pipe = 1,
        double machine = 1,
        int launches = Launches,
        int day = 1,
        Func<LabResults, LabResults>? change = null)
    {
        string folder = Directory.CreateDirectory(Path.Combine(root, name)).FullName;
        var random = new Random(name.Length + day);
        CaseResult[] cases =
        [
            .. from buffer in Buffers
               from method in new[] { "FileStreamSync", "FilePipe" }
               select Case(method, buffer, machine * (method == "FilePipe" ? 5e6 * pipe : 10e6), launches, random),
        ];
        LabResults results = Run(cases, launches, day);
        ResultsFile.Write(Path.Combine(folder, ResultsFile.Name), change?.Invoke(results) ?? results);
        return folder;
    }

    private static LabResults Run(CaseResult[] cases, int launches, int day) => new()
    {
        Schema = LabResults.CurrentSchema,
        Suite = "files",
        Mode = "full",
        Command = "millrace lab files",
        Started = new DateTimeOffset(2026, 1, day, 0, 0, 0, TimeSpan.Zero),
        DurationSeconds = 60,
        Seed = 1,
        Engine = new EngineFacts { Name = "BenchmarkDotNet 0.0.0", Millrace = "0.0.0", Build = "Release" },
        Machine = new MachineFacts
        {
            Cpu = "A processor",
            Cores = 2,
            MemoryBytes = 1L << 32,
            Os = "An OS",
            Kernel = "1.2.3",
            Architecture = "X64",
            Runtime = ".NET 10.0.0",
            GarbageCollector = "workstation",
            FileSystem = "ext4 (rw)",
        },
        Meters = new Dictionary<string, string>(),
        Launches =
        [
            .. Enumerable.Range(0, launches).Select(index => new LaunchFacts
            {
                Index = index,
                Started = new DateTimeOffset(2026, 1, day, 0, 0, index, TimeSpan.Zero),
                DurationSeconds = 1,
                Seed = index,
            }),
        ],
        Finding = $"What was found on day {day}.",
        Cases = cases,
    };

    private static CaseResult Case(string method, int buffer, double level, int launches, Random random)
    {
        int count = launches * Rounds;
        double[] wall = [.. Enumerable.Range(0, count).Select(_ => level * (0.99 + (0.02 * random.NextDouble())))];
        double median = wall.Order().ElementAt(count / 2);
        return new CaseResult
        {
            Method = method,
            Baseline = method == "FileStreamSync",
            Verified = true,
            Parameters = new CaseParameters { Buffer = buffer, Bytes = 1 << 27, Cache = "hot" },
            Samples = new CaseSamples
            {
                Launch = [.. Enumerable.Range(0, count).Select(index => index / Rounds)],
                Round = [.. Enumerable.Range(0, count).Select(index => index % Rounds)],
                WallNs = wall,
                UserCpuNs = [.. wall.Select(value => (long)value)],
                SystemCpuNs = new long[count],
            },
            Summary = new CaseSummary
            {
                WallNs = new Distribution
                {
                    N = count,
                    Mean = median,
                    StdDev = 1,
                    Min = wall.Min(),
                    P25 = median,
                    Median = median,
                    P75 = median,
                    P90 = median,
                    P99 = median,
                    Max = wall.Max(),
                },
                MedianRatio = level / 10e6,
                MibPerSecond = 1,
                AllocatedBytes = 700,
            },
        };
    }
}
