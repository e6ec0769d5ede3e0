using System.IO.Compression;
using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Results;

public sealed class ResultsFileTests : FolderTests
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

    [Fact]
    public void What_is_written_is_read_back()
    {
        string path = Folder["results.json"];
        ResultsFile.Write(path, Sample);
        string again = Folder["again.json"];
        LabResults read = ResultsFile.Read(path);
        ResultsFile.Write(again, read);
        Assert.Equal(File.ReadAllText(path), File.ReadAllText(again));
        Assert.Equal(Sample.Cases[0].Samples!.WallNs, read.Cases[0].Samples!.WallNs);
        Assert.Equal(Sample.Machine, read.Machine);
        Assert.Equal(Sample.Cases[2].Parameters, read.Cases[2].Parameters);
        Assert.Equal(["again.json", "results.json"], Directory.GetFiles(Folder.Path).Select(Path.GetFileName).Order());
    }

    [Fact]
    public void Json_matches_the_golden_file()
    {
        string path = Folder["results.json"];
        ResultsFile.Write(path, Sample);
        Golden.Check("results.json", File.ReadAllText(path));
    }

    [Fact]
    public void Packed_file_is_read_like_the_plain_one_and_a_cut_one_is_refused()
    {
        string path = Folder["results.json"];
        ResultsFile.Write(path, Sample);
        string packed = Folder[ResultsFile.PackedName];
        using (var stream = new GZipStream(File.Create(packed), CompressionLevel.Optimal))
        {
            stream.Write(File.ReadAllBytes(path));
        }

        Assert.Equal(path, ResultsFile.In(Folder.Path));
        string plain = JsonSerializer.Serialize(ResultsFile.Read(path), ResultsJson.Default.LabResults);
        File.Delete(path);
        Assert.Equal(packed, ResultsFile.In(Folder.Path));
        Assert.Equal(plain, JsonSerializer.Serialize(ResultsFile.Read(packed), ResultsJson.Default.LabResults));
        Assert.Single(ResultsFolder.ReadRun(Folder.Path).Runs);
        Assert.Single(ResultsFolder.ReadAll(Folder.Path).Runs);

        File.WriteAllBytes(packed, File.ReadAllBytes(packed)[..200]);
        Assert.Contains(packed, Assert.Throws<LabException>(() => ResultsFile.Read(packed)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_matches_the_golden_file() => Golden.Check("report.md", MarkdownReport.Write(Sample));

    [Fact]
    public void Unknown_fields_are_ignored()
    {
        string path = Folder["results.json"];
        ResultsFile.Write(path, Sample);
        string text = File.ReadAllText(path);
        File.WriteAllText(path, text.Replace("\"suite\":", "\"future\": {\"a\": 1}, \"suite\":", StringComparison.Ordinal));
        Assert.Equal("files", ResultsFile.Read(path).Suite);
    }

    private static CaseResult NotCold(CaseResult item) => item with
    {
        Verified = false,
        UnverifiedReason = "not cold",
        Samples = item.Samples! with { Unverified = [1] },
    };
}
