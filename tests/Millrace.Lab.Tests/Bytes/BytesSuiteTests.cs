using Millrace.Lab.Data;
using Millrace.Lab.Running;
using Millrace.Lab.Suites;
using Millrace.Lab.Suites.Bytes;

namespace Millrace.Lab.Tests.Bytes;

/// <summary>The whole suite on a small file, with few rounds.</summary>
public sealed class BytesSuiteTests : IDisposable
{
    private static readonly SuiteLimits FewRounds = Limits(maxRounds: 3, TimeSpan.Zero);

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Run_measures_a_file_and_a_server_and_relates_all_to_the_baseline()
    {
        LabResults results = Run("*.Span*", "*AwaitForEach", "*.Vector");
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal([0, 1, 2], item.Samples!.Round.Distinct());
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Equal(65536, item.Parameters.Buffer);
            Assert.Equal(1_000_000, item.Parameters.Bytes);
            Assert.Equal("random", item.Parameters.Content);
            Assert.Equal(1, item.Parameters.Readers);
            Assert.Equal("hot", item.Parameters.Cache);
        });
        Assert.Equal(["file", "http"], results.Cases.Select(item => item.Parameters.Source).Distinct());
        Assert.Equal(
            ["file", "http"], results.Cases.Where(item => item.Baseline).Select(item => item.Parameters.Source));
        Assert.Equal(2, results.Noise.Count);
        Assert.Contains("ReadBytesAsync", results.Finding, StringComparison.Ordinal);
        Assert.Equal(8, results.Bars.Count);
        Assert.Equal(4, results.Bars.Count(bar => bar.Met is null));
        CaseResult pipe = results.Cases.Single(item => item is { Method: "MillraceBytes.Vector", Parameters.Source: "file" });
        Assert.Equal("Buffered", pipe.Strategy);
    }

    [Fact]
    public void Lines_are_measured()
    {
        LabResults results = Run("*.Lines*");
        Assert.Equal(
            ["StreamReader.Lines", "StreamReader.LinesAgain", "MillraceLines.Lines"], results.Cases.Select(item => item.Method));
        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.All(results.Cases, item => Assert.Equal("csv", item.Parameters.Content));
        Assert.Equal(TaxiFareCsv.Bytes, results.Cases[0].Parameters.Bytes);
    }

    [Fact]
    public void Case_that_used_up_its_time_gets_the_minimum_of_rounds()
    {
        var suite = new BytesSuite(Limits(maxRounds: 30, TimeSpan.MaxValue), 1_000_000);
        LabResults results = Run(suite, "*.Span/file/*");
        Assert.All(results.Cases, item => Assert.Equal(3, item.Samples!.Round.Count));
    }

    [Fact]
    public void Separate_server_process_serves_until_the_run_ends()
    {
        TestFile file = TestFile.OfRandom(_folder.Path, 80_000);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        var host = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, LabWorker.Argument]));
        using var client = new HttpClient();
        Uri address;
        using (IServedFiles served = host.Serve(new ServeRequest("bytes", [file])))
        {
            address = new Uri(served.Address, "0");
            using Stream body = client.Send(new HttpRequestMessage(HttpMethod.Get, address)).Content.ReadAsStream();
            using var copy = new MemoryStream();
            body.CopyTo(copy);
            Assert.Equal(File.ReadAllBytes(file.Path), copy.ToArray());
        }

        Assert.Throws<HttpRequestException>(() => client.Send(new HttpRequestMessage(HttpMethod.Get, address)));
    }

    [Fact]
    public void Server_that_cannot_start_reports_why()
    {
        var host = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, LabWorker.Argument]));
        var missing = new TestFile(_folder["missing"], 1, 1, Generated: false);
        LabException exception = Assert.Throws<LabException>(() => host.Serve(new ServeRequest("bytes", [missing])));
        Assert.Contains("missing", exception.Message, StringComparison.Ordinal);
        Assert.Throws<LabException>(() => host.Serve(new ServeRequest("files", [missing])));
        var bad = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, "die"]));
        exception = Assert.Throws<LabException>(() => bad.Serve(new ServeRequest("bytes", [missing])));
        Assert.Contains("the last words", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        var suite = new BytesSuite(FewRounds, 8_000_000);
        var host = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, LabWorker.Argument]));
        LabOptions options = Options("AllAtOnce.Span", "MillraceBytes.Vector");
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles served = host.Serve(new ServeRequest("bytes", inputs.Files));
        IReadOnlyList<PlannedCase> plan = suite.Select(options, inputs.Files, served.Address);
        Assert.Equal(4, plan.Count);
        foreach (PlannedCase entry in plan)
        {
            MemoryResult memory = host.MeasureMemory(
                new MemoryRequest("bytes", options, inputs.Files, entry.Plan) { Server = served.Address });
            if (!OperatingSystem.IsLinux())
            {
                Assert.NotNull(memory.Reason);
                continue;
            }

            Assert.Null(memory.Reason);
            Assert.Equal(entry.Method == "AllAtOnce.Span", memory.PeakOverIdleBytes > 8_000_000);
        }
    }

    private static SuiteLimits Limits(int maxRounds, TimeSpan roundTime) => new()
    {
        Launches = 1,
        WarmUpPhases = 1,
        Groups = [BytesSuite.Limits(minRounds: 3, maxRounds, caseTime: TimeSpan.Zero, roundTime)],
    };

    private LabOptions Options(params string[] filters) => new()
    {
        DataFolder = _folder.Path,
        Filters = filters,
        Seed = 42,
        Command = "test",
        Launches = 1,
    };

    private LabResults Run(params string[] filters) => Run(new BytesSuite(FewRounds, 1_000_000), filters);

    private LabResults Run(BytesSuite suite, params string[] filters) =>
        SuiteRun.Run(suite, Options(filters), new InProcessHost(suite), new RecordedProgress(), default);
}
