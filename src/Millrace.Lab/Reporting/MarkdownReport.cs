namespace Millrace.Lab.Reporting;

/// <summary>Writes report.md from results: the answer, a picture, advice, then the tables and how the run took place.</summary>
internal static class MarkdownReport
{
    /// <summary>The file's name within an output folder.</summary>
    public const string Name = "report.md";

    /// <summary>Writes the machines side by side, where there are several, then every run.</summary>
    public static string Write(IReadOnlyList<LabResults> runs)
    {
        var text = new StringBuilder();
        foreach (MachinesSideBySide suite in MachinesSideBySide.Of(runs))
        {
            suite.AppendTo(text);
        }

        return text.AppendJoin("\n", runs.Select(Write)).ToString();
    }

    public static string Write(LabResults results)
    {
        CaseGroup[] groups = [.. CaseGroup.Of(results)];
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"# Millrace laboratory: {results.Suite}, {results.Mode}\n\n");
        text.Append(ReportedFinding.Of(results) is { } finding ? $"{finding}\n\n" : "");
        IReadOnlyList<Advice> advice = Advisor.Advise(results);
        string[] warnings =
        [
            .. advice.Where(item => item.IsAboutTrust).Select(item => item.Statement)
                .Concat(ConsoleReport.Notes(results)).Select(warning => $"> - {TextTable.Escape(warning)}\n"),
        ];
        text.AppendJoin("", warnings).Append(warnings.Length > 0 ? "\n" : "");
        if (CaseGroup.Main(groups)?.Picture() is { Count: > 0 } picture)
        {
            text.Append("```text\n").AppendJoin('\n', picture).Append("\n```\n\n");
        }

        text.Append(AdviceText.ToMarkdown(advice, PublishedBeside.Of(results)));
        foreach (CaseGroup group in groups)
        {
            text.Append(CultureInfo.InvariantCulture, $"## {TextTable.Escape(group.Title)}\n\n");
            group.Table(Places.Main).AppendTo(text);
            if (group.Cases.Any(item => item.Summary is not null))
            {
                group.Table(Places.Folded).AppendFoldedTo(text, "Percentiles (ms) and the other meters");
            }
        }

        AppendMethods(text, results);
        AppendLegend(text, results);
        AppendNoise(text, results);
        AppendRun(text, results);
        ConsoleReport.Targets(results)?.AppendFoldedTo(text, "Targets of the project: medians of this run, hot and SequentialScan unless stated");
        return text.ToString();
    }

    private static void AppendMethods(StringBuilder text, LabResults results)
    {
        if (MethodTexts.Of(results) is { Count: > 0 } texts)
        {
            new TextTable(["Method", "What it does"], TextColumns: 2, texts.Select(method => Row(method.Key, method.Value)))
                .AppendFoldedTo(text, "What the methods are");
        }
    }

    private static void AppendLegend(StringBuilder text, LabResults results)
    {
        text.Append(
            "Every invocation opens the file, reads and sums every byte, and closes it. 95 % CI of the median: from the order of "
            + "the samples. Ratio: to FileStreamSync within the same rounds; its 95 % CI and the verdict are those that the "
            + "run decided by. MiB/s: by the median. CPU: user and system time of the whole process. Cores: that by the time. "
            + "In calls: the part of the time that threads spent inside the calls that read, without awaits. Peak "
            + "over idle: resident memory of a process that ran nothing but the case. Error: half of the 99.9 % confidence "
            + "interval of the mean. Gen0 to Gen2: collections per 1,000 invocations. (!): a sample did not begin in the state "
            + "that the table states.\n\n");
        string[] strategies =
        [
            .. results.Cases.Where(item => item.Strategy is not null)
                .GroupBy(item => (item.Method, item.Strategy, item.StrategyReason))
                .Select(group =>
                    $"- {group.Key.Method}: {group.Key.Strategy} in {group.Count()} cases"
                    + (group.Key.StrategyReason is { } reason ? $" ({TextTable.Escape(reason)})" : "") + "\n"),
        ];
        if (strategies.Length > 0)
        {
            text.Append("Strategies of the file pipes:\n\n").AppendJoin("", strategies).Append('\n');
        }
    }

    private static void AppendNoise(StringBuilder text, LabResults results)
    {
        if (results.Noise.Count > 0)
        {
            text.Append("## Noise\n\nThe same method measured as two cases of the same rounds.\n\n");
            new TextTable(
                ["Parameters", "Median ratio", "Ratio", "RatioSD", "Deviation"],
                TextColumns: 1,
                results.Noise.Select(noise => Row(
                    $"{noise.Method} {noise.Parameters.Describe()}",
                    Number(noise.MedianRatio, "0.000"),
                    Number(noise.Ratio, "0.000"),
                    Number(noise.RatioStdDev, "0.000"),
                    Number(noise.Deviation * 100, "0.0") + " %"))).AppendTo(text);
        }
    }

    // Where and how the run took place.
    private static void AppendRun(StringBuilder text, LabResults results)
    {
        text.Append("## This run\n\n");
        new TextTable(["", ""], TextColumns: 2, Facts(results).Where(fact => fact.Text is not null).Select(fact => Row(fact.Title, fact.Text)))
            .AppendTo(text);
        if (results.Launches.Count > 0)
        {
            new TextTable(
                ["Launch", "Began", "Took", "Seed", "Hot rounds", "Cold rounds", "JIT idle", "Load before"],
                TextColumns: 2,
                results.Launches.Select(launch => Row(
                    Number(launch.Index + 1, "0"),
                    launch.Started.ToString("u", CultureInfo.InvariantCulture),
                    $"{Number(launch.DurationSeconds, "0.0")} s",
                    Number(launch.Seed, "0"),
                    Number(launch.HotRounds, "0"),
                    Number(launch.ColdRounds, "0"),
                    launch.CompilerQuiet ? "yes" : "no",
                    launch.LoadAverage is { } load ? Number(load, "0.00") : "-"))).AppendFoldedTo(text, "Launches");
        }

        if (results.MeterCosts.Count > 0)
        {
            new TextTable(
                ["Meter", "ns", "Per", "Where"],
                TextColumns: 1,
                results.MeterCosts.Select(cost => Row(cost.Meter, Number(cost.Nanoseconds, "0.#"), cost.Per, cost.Where)))
                .AppendFoldedTo(text, "Cost of the meters");
        }
    }

    private static IEnumerable<(string Title, string? Text)> Facts(LabResults results)
    {
        MachineFacts machine = results.Machine;
        EngineFacts engine = results.Engine;
        return
        [
            ("Command", $"`{results.Command}`"),
            ("Started", results.Started.ToString("u", CultureInfo.InvariantCulture)),
            ("Duration", $"{results.DurationSeconds:0} s"),
            ("Seed", Number(results.Seed, "0")),
            ("Processor", $"{machine.Cpu}, {machine.Cores} cores, {machine.Architecture}"),
            ("Memory", ByteSize.ToText(machine.MemoryBytes)),
            ("System", $"{machine.Os}, kernel {machine.Kernel}"),
            ("Virtual machine", machine.Hypervisor ?? "none that shows itself"),
            ("File system", machine.FileSystem),
            ("Runtime", $"{machine.Runtime}, {machine.GarbageCollector} GC"),
            ("Engine", $"{engine.Name}, Millrace {engine.Millrace} ({engine.Build})"),
            ("Warm-up", $"{engine.WarmUpCalls} calls of each method, then the compiler "
                + (engine.CompilerQuiet ? "had next to nothing left to do" : "was still at work")),
            ("Container", machine.Container),
            ("Physical cores", machine.PhysicalCores is { } cores ? Number(cores, "0") : null),
            ("Last-level cache", machine.CacheBytes is { } cache ? ByteSize.ToText(cache) : null),
            ("Huge pages", machine.HugePages),
            ("Governor", machine.Governor),
            ("Mitigations", machine.Mitigations),
            ("Load before the run", machine.LoadAverage is { } load ? Number(load, "0.00") : null),
            ("Other processes while measuring", results.Launches.Max(launch => launch.OthersShare) is { } others
                ? $"{Figures.Percent(others)} of the processors' time"
                : null),
            .. engine.RuntimeSettings.Select(setting => (setting.Key, setting.Value)),
            .. results.Meters.Select(meter => ($"Meter {meter.Key}", meter.Value)),
            .. results.Cases.SelectMany(item => item.Unavailable ?? new Dictionary<string, string>()).Distinct()
                .Select(reason => ($"Not available: {reason.Key}", reason.Value)),
        ];
    }

    private static Cell[] Row(params IEnumerable<string?> cells) => [.. cells.Select(cell => (Cell)cell)];

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
