namespace Millrace.Lab.Tests.Bytes;

[Trait("Tier", "All")]
public sealed class BytesSuiteTests(BytesSuiteTests.Measured measured) : IClassFixture<BytesSuiteTests.Measured>
{
    // No case may use any time, so that each gets the minimum of rounds.
    private static readonly SuiteLimits FewRounds = new()
    {
        Launches = 1,
        WarmUpPhases = 1,
        Groups = [BytesSuite.Limits(minRounds: 3, maxRounds: 30, caseTime: TimeSpan.Zero, roundTime: TimeSpan.MaxValue)],
    };

    private readonly LabResults _results = measured.Results;

    [Fact]
    public void Run_measures_a_file_and_a_server_and_relates_all_to_the_baseline()
    {
        CaseResult[] cases = [.. _results.Cases.Where(item => item.Parameters.Content != "csv")];
        Assert.All(cases, item =>
        {
            Assert.Null(item.Error);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Equal(65536, item.Parameters.Buffer);
            Assert.Equal(1_000_000, item.Parameters.Bytes);
            Assert.Equal("random", item.Parameters.Content);
            Assert.Equal(1, item.Parameters.Readers);
            Assert.Equal("hot", item.Parameters.Cache);
        });
        Assert.Equal(["file", "http"], cases.Select(item => item.Parameters.Source).Distinct());
        Assert.Equal(["file", "http"], cases.Where(item => item.Baseline).Select(item => item.Parameters.Source));
        Assert.Equal(2, _results.Noise.Count(noise => noise.Parameters.Content != "csv"));
        Assert.Contains("ReadBytesAsync", _results.Finding, StringComparison.Ordinal);
        Assert.Equal(10, _results.Targets.Count);
        Assert.Equal(5, _results.Targets.Count(target => target.Met is null));
        CaseResult pipe = cases.Single(item => item is { Method: "MillraceBytes.Vector", Parameters.Source: "file" });
        Assert.Equal("Buffered", pipe.Strategy);
    }

    [Fact]
    public void Lines_are_measured()
    {
        CaseResult[] cases = [.. _results.Cases.Where(item => item.Parameters.Content == "csv")];
        Assert.Equal(["StreamReader.Lines", "StreamReader.LinesAgain", "MillraceLines.Lines"], cases.Select(item => item.Method));
        Assert.All(cases, item => Assert.Null(item.Error));
        Assert.Equal(TaxiFareCsv.Bytes, cases[0].Parameters.Bytes);
    }

    [Fact]
    public void Case_that_used_up_its_time_gets_the_minimum_of_rounds() =>
        Assert.All(_results.Cases, item => Assert.Equal([0, 1, 2], item.Samples!.Round));

    [Fact]
    public void Separate_server_process_serves_until_the_run_ends()
    {
        TestFile file = TestFile.OfRandom(measured.Folder.Path, 80_000);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        using var client = new HttpClient();
        Uri address;
        using (IServedFiles served = ChildProgram.Workers.Serve(new ServeRequest("bytes", [file])))
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
        var missing = new TestFile(measured.Folder["missing"], 1, 1, Generated: false);
        LabException exception = Assert.Throws<LabException>(() => ChildProgram.Workers.Serve(new ServeRequest("bytes", [missing])));
        Assert.Contains("missing", exception.Message, StringComparison.Ordinal);
        Assert.Throws<LabException>(() => ChildProgram.Workers.Serve(new ServeRequest("files", [missing])));
        var bad = ChildProgram.Host("die");
        exception = Assert.Throws<LabException>(() => bad.Serve(new ServeRequest("bytes", [missing])));
        Assert.Contains("the last words", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        var suite = new BytesSuite(FewRounds, 8_000_000);
        LabOptions options = measured.Options("AllAtOnce.Span", "MillraceBytes.Vector");
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles served = ChildProgram.Workers.Serve(new ServeRequest("bytes", inputs.Files));
        IReadOnlyList<PlannedCase> plan = suite.Select(options, inputs.Files, served.Address);
        Assert.Equal(4, plan.Count);
        foreach (PlannedCase entry in plan)
        {
            MemoryResult memory = ChildProgram.Workers.MeasureMemory(
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

    public sealed class Measured()
        : MeasuredSuite(new BytesSuite(FewRounds, 1_000_000), "*.Span*", "*AwaitForEach", "*.Vector", "*.Lines*");
}
