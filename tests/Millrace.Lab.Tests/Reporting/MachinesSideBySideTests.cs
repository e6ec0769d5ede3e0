using Millrace.Lab.Reporting;
using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Reporting;

public sealed class MachinesSideBySideTests
{
    [Fact]
    public void Ratio_and_rank_of_each_machine_and_the_change_of_the_fastest_are_shown()
    {
        MachinesSideBySide found = Assert.Single(MachinesSideBySide.Of([Here, There]));
        Assert.Equal(["Machine A, 2 cores", "Machine B, 2 cores"], found.Machines);
        SharedWork work = Assert.Single(found.Works);
        Assert.Equal(
            ["FilePipe 0.50 (1) 0.90 (2)", "MemoryMapped 0.75 (2) 0.60 (1)", "FileStreamSync 1.00 (3) 1.00 (3)"],
            work.Rows.Select(row => $"{row.Method} {string.Join(' ', row.Cells)}"));
        Assert.EndsWith(": FilePipe on Machine A, 2 cores; MemoryMapped on Machine B, 2 cores.", work.Change, StringComparison.Ordinal);
        string text = MarkdownReport.Write([There, Here]);
        Assert.StartsWith("# Machines side by side: files\n", text, StringComparison.Ordinal);
        Assert.Contains("| MemoryMapped | 0.75 (2) | 0.60 (1) |\n", text, StringComparison.Ordinal);
        Assert.Equal(3, text.Split("# Millrace laboratory: files").Length);
    }

    [Fact]
    public void Fastest_method_within_the_noise_elsewhere_is_no_change()
    {
        LabResults close = Run("Machine B", 10, 9.5, 9.49);
        SharedWork work = Assert.Single(MachinesSideBySide.Of([Here, close]).Single().Works);
        Assert.Null(work.Change);
        Assert.Equal(1, work.Rows.Single(row => row.Method == "MemoryMapped").Cells[1].Rank);
    }

    [Fact]
    public void Raw_rows_are_shown_without_a_rank_and_the_newest_run_of_a_machine_counts()
    {
        LabResults old = Run("Machine A", 10, 1, 1) with { Started = Here.Started.AddDays(-1) };
        LabResults[] runs = [.. new[] { old, Here, There }.Select(run => run with { Cases = [.. run.Cases, Runs.Case("RawRead", 65536, 4)] })];
        SharedWork work = Assert.Single(MachinesSideBySide.Of(runs).Single().Works);
        Assert.Equal([new SharedCell(0.4, null), new SharedCell(0.2, null)], work.Rows.Single(row => row.Method == "RawRead").Cells);
        Assert.Equal(0.5, work.Rows.Single(row => row.Method == "FilePipe").Cells[0].Ratio);
    }

    [Fact]
    public void One_machine_or_different_suites_are_not_compared()
    {
        Assert.Empty(MachinesSideBySide.Of([Here, Here]));
        Assert.Empty(MachinesSideBySide.Of([Here, There with { Suite = "writes" }]));
    }

    private static LabResults Here => Run("Machine A", 10, 5, 7.5);

    private static LabResults There => Run("Machine B", 20, 18, 12);

    private static LabResults Run(string cpu, double stream, double pipe, double mapped)
    {
        LabResults run = Runs.Of(
            Runs.Case("FileStreamSync", 65536, stream * 2),
            Runs.Case("FileStreamSync", 1048576, stream),
            Runs.Case("FilePipe", 65536, pipe),
            Runs.Case("MemoryMapped", 65536, mapped));
        return run with { Machine = run.Machine with { Cpu = cpu } };
    }
}
