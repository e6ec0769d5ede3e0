using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Reporting;

/// <summary>The table of a README: the main methods on the largest file that a suite speaks of, and how it was measured.</summary>
internal static class SummaryTable
{
    public const string Begin = "<!-- millrace lab report: begin -->";
    public const string End = "<!-- millrace lab report: end -->";
    private const string Baseline = nameof(FileReading.FileStreamSync);
    private const string Pipe = nameof(FileReading.FilePipe);

    private static readonly string[] Methods = [Baseline, nameof(FileReading.PipeReaderCreate), Pipe];

    /// <summary>Puts a table for each run of the suite files between the two lines of a Markdown text.</summary>
    /// <exception cref="LabException">The text has no such lines, or a run lacks the table's cases.</exception>
    public static string PutInto(string text, params IEnumerable<LabResults> runs)
    {
        int begin = text.IndexOf(Begin, StringComparison.Ordinal);
        int end = text.IndexOf(End, StringComparison.Ordinal);
        if (begin < 0 || end < begin)
        {
            throw new LabException($"The text has no lines \"{Begin}\" and \"{End}\" to put the table between.");
        }

        return string.Concat(text.AsSpan(0, begin + Begin.Length), "\n", string.Join('\n', Of(runs).Select(Write)), text.AsSpan(end));
    }

    // The order does not depend on that in which folders are named.
    private static LabResults[] Of(IEnumerable<LabResults> runs)
    {
        LabResults[] files = [.. runs.Where(run => run.Suite == FilesSuite.SuiteName).OrderBy(run => run.Machine.Cpu, StringComparer.Ordinal)];
        return files.Length > 0 ? files : throw new LabException("None of the runs is of the suite files, which the table shows.");
    }

    /// <exception cref="LabException">The run lacks the table's cases.</exception>
    public static string Write(LabResults results)
    {
        var cases = new MeasuredCases(results);
        Dictionary<string, Dictionary<int, CaseResult>> found = Methods.ToDictionary(method => method, method => FilesTargets
            .Of(cases, method)
            .Where(item => item.Parameters.Bytes == FilesSuite.LargeSize)
            .OrderBy(item => item.Parameters.Buffer)
            .ToDictionary(item => item.Parameters.Buffer!.Value));
        int[] buffers = [.. found[Baseline].Keys.Where(buffer => found.Values.All(list => list.ContainsKey(buffer)))];
        if (buffers.Length == 0)
        {
            throw new LabException(
                $"The results have no hot cases of {string.Join(", ", Methods)} on {ByteSize.ToText(FilesSuite.LargeSize)}: run "
                + "`millrace lab files`.");
        }

        var text = new StringBuilder("| buffer |");
        text.AppendJoin(" |", Methods.Select(method => " " + method)).Append(" | paired ratio |\n|---|");
        text.AppendJoin("", Methods.Select(_ => "---|")).Append("---|\n");
        foreach (int buffer in buffers)
        {
            double ratio = Figures.RatioOf(found[Pipe][buffer], found[Baseline][buffer]);
            string[] cells = [.. Methods.Select(method => Cell(method, Figures.Median(found[method][buffer]) / 1e6))];
            text.Append(CultureInfo.InvariantCulture, $"| {ByteSize.ToText(buffer)} | {string.Join(" | ", cells)} | {ratio:0.00} |\n");
        }

        MachineFacts machine = results.Machine;
        text.Append(
            CultureInfo.InvariantCulture,
            $"\n({machine.Cpu}, {machine.Cores} cores, {machine.Os}, kernel {machine.Kernel.Split('-')[0]}, {machine.Runtime}, "
            + $"{machine.FileSystem.Split(' ')[0]}; `{results.Command}`)\n");
        return text.ToString();
    }

    private static string Cell(string method, double ms) => method == Pipe
        ? string.Create(CultureInfo.InvariantCulture, $"**{ms:0.0}**")
        : ms.ToString("0.0", CultureInfo.InvariantCulture);
}
