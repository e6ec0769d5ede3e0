using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Results;

public sealed class SummaryTableTests
{
    [Fact]
    public void Readme_shows_the_table_of_the_committed_results()
    {
        string readme = File.ReadAllText(Path.Combine(Repository.Root, "README.md")).ReplaceLineEndings("\n");
        LabResults[] results =
        [
            .. Directory.EnumerateDirectories(Path.Combine(Repository.Root, "results"))
                .Select(machine => Path.Combine(machine, "files")).Where(Directory.Exists).Select(ResultsFile.In).OfType<string>().Select(ResultsFile.Read),
        ];
        Assert.NotEmpty(results);
        Assert.Equal(SummaryTable.PutInto(readme, results), readme);
    }

    [Fact]
    public void Table_has_a_row_for_every_buffer_that_all_methods_were_measured_at()
    {
        LabResults results = Fixture.Run(
            Fixture.Case("FileStreamSync", 4096, 20),
            Fixture.Case("PipeReaderCreate", 4096, 40),
            Fixture.Case("FilePipe", 4096, 10),
            Fixture.Case("FileStreamSync", 2048, 20),
            Fixture.Case("FilePipe", 65536, 10, cache: "cold"));
        string table = SummaryTable.Write(results);
        Assert.Contains("| 4 KiB | 20.0 | 40.0 | **10.0** | 0.50 |\n", table, StringComparison.Ordinal);
        Assert.DoesNotContain("2 KiB", table, StringComparison.Ordinal);
        Assert.Contains("(A processor, 2 cores, An OS, kernel 1.2.3, .NET 10.0.0, ext4; `millrace lab files`)", table, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_machine_has_a_table_in_the_order_of_their_processors()
    {
        LabResults one = Fixture.Run(
            Fixture.Case("FileStreamSync", 4096, 20), Fixture.Case("PipeReaderCreate", 4096, 40), Fixture.Case("FilePipe", 4096, 10));
        LabResults other = one with { Machine = one.Machine with { Cpu = "Another" } };
        string text = SummaryTable.PutInto($"{SummaryTable.Begin}\n{SummaryTable.End}", one, other, one with { Suite = "writes" });
        Assert.Equal(text, SummaryTable.PutInto(text, other, one));
        Assert.Equal(3, text.Split("| buffer |").Length);
        Assert.True(text.IndexOf("(Another", StringComparison.Ordinal) > text.IndexOf("(A processor", StringComparison.Ordinal));
    }

    [Fact]
    public void Text_around_the_table_stays()
    {
        LabResults results = Fixture.Run(
            Fixture.Case("FileStreamSync", 4096, 20),
            Fixture.Case("PipeReaderCreate", 4096, 40),
            Fixture.Case("FilePipe", 4096, 10));
        string text = $"before\n{SummaryTable.Begin}\nold\n{SummaryTable.End}\nafter\n";
        string once = SummaryTable.PutInto(text, results);
        Assert.StartsWith($"before\n{SummaryTable.Begin}\n| buffer |", once, StringComparison.Ordinal);
        Assert.EndsWith($"\n{SummaryTable.End}\nafter\n", once, StringComparison.Ordinal);
        Assert.Equal(once, SummaryTable.PutInto(once, results));
        Assert.Throws<LabException>(() => SummaryTable.PutInto("nothing here", results));
        Assert.Throws<LabException>(() => SummaryTable.PutInto(text, Fixture.Run()));
    }
}
