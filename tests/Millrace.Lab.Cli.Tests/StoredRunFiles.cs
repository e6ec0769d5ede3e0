using Millrace.Lab.Tests.Results;

namespace Millrace.Lab.Cli.Tests;

/// <summary>Results as a run of three launches would write them, with fixed numbers.</summary>
internal static class StoredRunFiles
{
    private const int Launches = 3;
    private const int Rounds = 12;

    public static string CommittedFiles { get; } =
        Path.Combine(Repository.Root, "results", "intel-xeon-2-cores-linux-6.18", "files");

    private static readonly int[] Buffers = [4096, 16384, 65536];

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
        LabResults results = Fixture.Run(cases) with
        {
            Started = new DateTimeOffset(2026, 1, day, 0, 0, 0, TimeSpan.Zero),
            Noise = [],
            Finding = $"The finding of day {day}.",
        };
        ResultsFile.Write(Path.Combine(folder, ResultsFile.Name), change?.Invoke(results) ?? results);
        return folder;
    }

    private static CaseResult Case(string method, int buffer, double level, int launches, Random random)
    {
        int count = launches * Rounds;
        double[] wall = [.. Enumerable.Range(0, count).Select(_ => level * (0.99 + (0.02 * random.NextDouble())))];
        CaseResult item = Fixture.Case(method, buffer, wall.Order().ElementAt(count / 2) / 1e6);
        return item with
        {
            Verdicts = null,
            Samples = new CaseSamples
            {
                Launch = [.. Enumerable.Range(0, count).Select(index => index / Rounds)],
                Round = [.. Enumerable.Range(0, count).Select(index => index % Rounds)],
                WallNs = wall,
                UserCpuNs = [.. wall.Select(value => (long)value)],
                SystemCpuNs = new long[count],
                Passes = item.Samples!.Passes,
            },
        };
    }
}
