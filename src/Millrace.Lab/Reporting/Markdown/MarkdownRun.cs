using System.Globalization;
using System.Text;

namespace Millrace.Lab.Reporting.Markdown;

/// <summary>Where and how a run took place, as the end of report.md.</summary>
internal static class MarkdownRun
{
    /// <summary>Writes it.</summary>
    public static void Append(StringBuilder text, LabResults results)
    {
        text.Append("## This run\n\n");
        MarkdownTable.Append(text, ["", ""], Facts(results), textColumns: 2);
        if (results.Launches.Count > 0)
        {
            MarkdownTable.AppendFolded(
                text,
                "Launches",
                ["Launch", "Began", "Took", "Seed", "Hot rounds", "Cold rounds", "Compiler quiet", "Load before"],
                results.Launches.Select(Launch),
                textColumns: 2);
        }

        if (results.MeterCosts.Count > 0)
        {
            MarkdownTable.AppendFolded(
                text,
                "What the meters cost",
                ["Meter", "ns", "Per", "Where"],
                results.MeterCosts.Select(cost => new[] { cost.Meter, Number(cost.Nanoseconds, "0.#"), cost.Per, cost.Where }),
                textColumns: 1);
        }
    }

    private static List<string[]> Facts(LabResults results)
    {
        MachineFacts machine = results.Machine;
        EngineFacts engine = results.Engine;
        List<string[]> rows =
        [
            ["Command", $"`{results.Command}`"],
            ["Started", results.Started.ToString("u", CultureInfo.InvariantCulture)],
            ["Duration", $"{results.DurationSeconds:0} s"],
            ["Seed", Number(results.Seed, "0")],
            ["Processor", $"{machine.Cpu}, {machine.Cores} cores, {machine.Architecture}"],
            ["Memory", ByteSize.ToText(machine.MemoryBytes)],
            ["System", $"{machine.Os}, kernel {machine.Kernel}"],
            ["Virtual machine", machine.Hypervisor ?? "none that shows itself"],
            ["File system", machine.FileSystem],
            ["Runtime", $"{machine.Runtime}, {machine.GarbageCollector} GC"],
            ["Engine", $"{engine.Name}, Millrace {engine.Millrace} ({engine.Build})"],
            ["Warm-up", $"{engine.WarmUpCalls} calls of each method, then the compiler "
                + (engine.CompilerQuiet ? "had next to nothing left to do" : "was still at work")],
        ];
        AddKnown(rows, "Container", machine.Container);
        AddKnown(rows, "Physical cores", machine.PhysicalCores is { } cores ? Number(cores, "0") : null);
        AddKnown(rows, "Last-level cache", machine.CacheBytes is { } cache ? ByteSize.ToText(cache) : null);
        AddKnown(rows, "Huge pages", machine.HugePages);
        AddKnown(rows, "Governor", machine.Governor);
        AddKnown(rows, "Mitigations", machine.Mitigations);
        AddKnown(rows, "Load before the run", machine.LoadAverage is { } load ? Number(load, "0.00") : null);
        rows.AddRange(engine.RuntimeSettings.Select(setting => new[] { setting.Key, setting.Value }));
        rows.AddRange(results.Meters.Select(meter => new[] { $"Meter {meter.Key}", meter.Value }));
        rows.AddRange(results.Cases
            .SelectMany(item => item.Unavailable ?? new Dictionary<string, string>())
            .Distinct()
            .Select(reason => new[] { $"Not available: {reason.Key}", reason.Value }));
        return rows;
    }

    private static void AddKnown(List<string[]> rows, string title, string? text)
    {
        if (text is not null)
        {
            rows.Add([title, text]);
        }
    }

    private static string[] Launch(LaunchFacts launch) =>
    [
        Number(launch.Index + 1, "0"),
        launch.Started.ToString("u", CultureInfo.InvariantCulture),
        $"{Number(launch.DurationSeconds, "0.0")} s",
        Number(launch.Seed, "0"),
        Number(launch.HotRounds, "0"),
        Number(launch.ColdRounds, "0"),
        launch.CompilerQuiet ? "yes" : "no",
        launch.LoadAverage is { } load ? Number(load, "0.00") : "-",
    ];

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
