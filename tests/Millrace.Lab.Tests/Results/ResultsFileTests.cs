using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Results;

public sealed class ResultsFileTests : IDisposable
{
    private static readonly LabResults Sample = Fixture.Run(
        Fixture.Case("FileStreamSync", 65536, 10),
        Fixture.Case("FilePipe", 65536, 5) with { Strategy = "Buffered", StrategyReason = "because" },
        NotCold(Fixture.Case("FilePipe", 65536, 50, cache: "cold", callingThread: 0.1)),
        Fixture.Case("MemoryMapped", 65536, 1) with
        {
            Verified = false,
            Error = "IOException: a reason\nin two lines",
            Samples = null,
            Summary = null,
            Unavailable = null,
        });

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void What_is_written_is_read_back()
    {
        string path = _folder["results.json"];
        ResultsFile.Write(path, Sample);
        string again = _folder["again.json"];
        LabResults read = ResultsFile.Read(path);
        ResultsFile.Write(again, read);
        Assert.Equal(File.ReadAllText(path), File.ReadAllText(again));
        Assert.Equal(Sample.Cases[0].Samples!.WallNs, read.Cases[0].Samples!.WallNs);
        Assert.Equal(Sample.Machine, read.Machine);
        Assert.Equal(Sample.Cases[2].Parameters, read.Cases[2].Parameters);
        Assert.Equal(["again.json", "results.json"], Directory.GetFiles(_folder.Path).Select(Path.GetFileName).Order());
    }

    [Fact]
    public void Json_matches_the_golden_file()
    {
        string path = _folder["results.json"];
        ResultsFile.Write(path, Sample);
        Golden.Check("results.json", File.ReadAllText(path));
    }

    [Fact]
    public void Report_matches_the_golden_file() => Golden.Check("report.md", MarkdownReport.Write(Sample));

    [Fact]
    public void Unknown_fields_are_ignored()
    {
        string path = _folder["results.json"];
        ResultsFile.Write(path, Sample);
        string text = File.ReadAllText(path);
        File.WriteAllText(path, text.Replace("\"suite\":", "\"future\": {\"a\": 1}, \"suite\":", StringComparison.Ordinal));
        Assert.Equal("files", ResultsFile.Read(path).Suite);
    }

    [Theory]
    [InlineData("{", "damaged")]
    [InlineData("null", "holds no results")]
    [InlineData("{\"schema\": \"millrace.results/1\"}", "damaged")]
    public void Damaged_file_is_named(string content, string problem)
    {
        string path = _folder["results.json"];
        File.WriteAllText(path, content);
        LabException exception = Assert.Throws<LabException>(() => ResultsFile.Read(path));
        Assert.Contains(path, exception.Message, StringComparison.Ordinal);
        Assert.Contains(problem, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Unknown_schema_is_rejected_by_name()
    {
        string path = _folder["results.json"];
        ResultsFile.Write(path, Sample with { Schema = "millrace.results/9" });
        Assert.Contains(
            "millrace.results/9", Assert.Throws<LabException>(() => ResultsFile.Read(path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Core_of_the_schema_has_the_agreed_names()
    {
        string path = _folder["results.json"];
        ResultsFile.Write(path, Sample);
        using var document = JsonDocument.Parse(File.ReadAllText(path));
        JsonElement root = document.RootElement;
        JsonElement item = root.GetProperty("cases")[1];
        Assert.Equal("millrace.results/1", root.GetProperty("schema").GetString());
        Assert.Equal(2, root.GetProperty("machine").GetProperty("cores").GetInt32());
        Assert.Equal("FilePipe", item.GetProperty("method").GetString());
        Assert.Equal(65536, item.GetProperty("parameters").GetProperty("buffer").GetInt32());
        Assert.Equal("hot", item.GetProperty("parameters").GetProperty("cache").GetString());
        Assert.Equal(2, item.GetProperty("samples").GetProperty("wallNs").GetArrayLength());
        Assert.Equal(5e6, item.GetProperty("summary").GetProperty("wallNs").GetProperty("median").GetDouble());
        Assert.False(root.GetProperty("cases")[3].TryGetProperty("summary", out _));
    }

    private static CaseResult NotCold(CaseResult item) => item with
    {
        Verified = false,
        UnverifiedReason = "not cold",
        Samples = item.Samples! with { Unverified = [1] },
    };
}
