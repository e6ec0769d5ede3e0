namespace Millrace.Lab.Reporting;

/// <summary>
/// A suite on several machines: how long each method takes there by the baseline's time, its rank, and whether one method
/// is the fastest, or within the noise of it, on all.
/// </summary>
/// <param name="Machines">A name for each machine, in the order of the cells.</param>
internal sealed record MachinesSideBySide(string Suite, IReadOnlyList<string> Machines, IReadOnlyList<SharedWork> Works)
{
    /// <summary>A comparison for each suite that was measured on more than one machine, from the newest run of each.</summary>
    public static IReadOnlyList<MachinesSideBySide> Of(IEnumerable<LabResults> runs) =>
    [
        .. from suite in runs.Where(run => run.Purpose is null).GroupBy(run => run.Suite)
           let newest = NewestOfEach(suite)
           where newest.Count > 1
           let found = Compare(suite.Key, newest)
           where found.Works.Count > 0
           select found,
    ];

    /// <summary>The works whose fastest method depends on the machine, a sentence each.</summary>
    public IEnumerable<string> Changes => Works.Select(work => work.Change).OfType<string>();

    public void AppendTo(StringBuilder text)
    {
        text.Append(CultureInfo.InvariantCulture, $"# Machines side by side: {Suite}\n\n");
        text.Append("Each method's fastest case by the baseline's fastest on the same machine, and its rank there. ");
        text.Append(Changes.Any()
            ? "The fastest method depends on the machine:\n\n"
            : "One method is the fastest, or within the noise of it, on all of them.\n\n");
        text.AppendJoin("", Changes.Select(change => $"- {TextTable.Escape(change)}\n")).Append(Changes.Any() ? "\n" : "");
        foreach (SharedWork work in Works)
        {
            text.Append(CultureInfo.InvariantCulture, $"## {TextTable.Escape(work.Title)}\n\n");
            Table(work).AppendTo(text);
        }
    }

    public TextTable Table(SharedWork work) => new(
        ["Method", .. Machines],
        TextColumns: 1,
        work.Rows.Select(row => (IReadOnlyList<Cell>)[row.Method, .. row.Cells.Select(cell => (Cell)cell.ToString())]));

    private static List<LabResults> NewestOfEach(IEnumerable<LabResults> runs)
    {
        List<LabResults> found = [];
        foreach (LabResults run in runs.OrderByDescending(run => run.Started))
        {
            if (!found.Exists(other => MachineIdentity.AreSame(other.Machine, run.Machine)))
            {
                found.Add(run);
            }
        }

        return [.. found.OrderBy(run => run.Machine.Cpu, StringComparer.Ordinal)];
    }

    private static MachinesSideBySide Compare(string suite, List<LabResults> runs)
    {
        string[] names = [.. runs.Select(run => $"{run.Machine.Cpu}, {run.Machine.Cores} cores")];
        if (names.Distinct().Count() < names.Length)
        {
            names = [.. runs.Select(run => $"{MachineIdentity.Describe(run.Machine)}, {run.Started:yyyy-MM-dd}")];
        }

        SituatedCases[] judges = [.. runs.Select(run => new SituatedCases(run))];
        Dictionary<CaseParameters, Dictionary<string, CaseResult>>[] machines = [.. runs.Select(FastestByWork)];
        return new MachinesSideBySide(suite, names,
        [
            .. from work in machines[0].Keys
               where Array.TrueForAll(machines, machine => machine.ContainsKey(work))
               let methods = machines[0][work].Keys.Where(method => Array.TrueForAll(machines, machine => machine[work].ContainsKey(method))).ToArray()
               where methods.Count(method => !Floor.Is(method)) > 1
               select SharedWork.Of(work, methods, [.. machines.Select(machine => machine[work])], names, judges),
        ]);
    }

    private static Dictionary<CaseParameters, Dictionary<string, CaseResult>> FastestByWork(LabResults run) => new MeasuredCases(run).All
        .Where(item => item.Parameters.Offset is null && (item.Parameters.Block is null || Floor.Is(item.Method)))
        .GroupBy(item => item.Parameters.WithoutDegree() with { Buffer = null, Block = null })
        .ToDictionary(
            work => work.Key,
            work => work.GroupBy(item => item.Method).ToDictionary(method => method.Key, method => method.MinBy(Figures.Median)!));
}

/// <summary>What several machines did: a file, a state of the cache, and whatever else both had in common.</summary>
/// <param name="Change">Which method is fastest where; null where one method is within the noise of it everywhere.</param>
internal sealed record SharedWork(string Title, string? Change, IReadOnlyList<SharedRow> Rows)
{
    public static SharedWork Of(
        CaseParameters work,
        string[] methods,
        Dictionary<string, CaseResult>[] machines,
        string[] names,
        SituatedCases[] judges)
    {
        string title = CaseGroup.TitleOf(work) + (work.Chunk is { } chunk ? $", chunks of {ByteSize.ToText(chunk)}" : "");
        string[][] ranked =
            [.. machines.Select(cases => methods.Where(method => !Floor.Is(method)).OrderBy(method => Figures.Median(cases[method])).ToArray())];
        string baseline = methods.FirstOrDefault(method => machines[0][method].Baseline) ?? ranked[0][0];

        // A method that is nowhere slower than the fastest is an answer for all machines.
        bool changes = ranked[0].All(method => Enumerable.Range(0, machines.Length)
            .Any(here => judges[here].IsSlower(machines[here][method], machines[here][ranked[here][0]])));
        return new SharedWork(
            title,
            changes ? $"{title}: {string.Join("; ", names.Select((name, i) => $"{ranked[i][0]} on {name}"))}." : null,
            [
                .. from method in methods.OrderBy(method => Figures.RatioOf(machines[0][method], machines[0][baseline]))
                   select new SharedRow(method,
                   [
                       .. machines.Select((cases, i) => new SharedCell(
                           Figures.RatioOf(cases[method], cases[baseline]),
                           Array.IndexOf(ranked[i], method) is >= 0 and var rank ? rank + 1 : null)),
                   ]),
            ]);
    }
}

internal sealed record SharedRow(string Method, IReadOnlyList<SharedCell> Cells);

/// <param name="Ratio">The method's time by the baseline's.</param>
/// <param name="Rank">1 for the fastest; null for a raw row, which is not ranked.</param>
internal sealed record SharedCell(double Ratio, int? Rank)
{
    public override string ToString() => Rank is { } rank
        ? string.Create(CultureInfo.InvariantCulture, $"{Ratio:0.00} ({rank})")
        : Ratio.ToString("0.00", CultureInfo.InvariantCulture);
}
