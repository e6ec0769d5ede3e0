namespace Millrace.Lab.Tests.Bytes;

[Trait("Tier", "All")]
public sealed class UrlSessionTests(ByteReadingTests.ServedFolder served, UrlSessionTests.Measured measured)
    : IClassFixture<ByteReadingTests.ServedFolder>, IClassFixture<UrlSessionTests.Measured>
{
    private static readonly SuiteLimits FewRounds = new()
    {
        Launches = 1,
        WarmUpPhases = 1,
        Groups = [BytesSuite.Limits(minRounds: 3, maxRounds: 3, caseTime: TimeSpan.Zero, roundTime: TimeSpan.MaxValue)],
    };

    private ByteSource Source => served.Source(http: true);

    public static TheoryData<string> Methods => [.. UrlSession.Methods];

    [NeedsTheory(Need.Swift)]
    [MemberData(nameof(Methods))]
    public void Every_method_reads_every_byte_and_detects_a_wrong_sum_length_and_status(string method)
    {
        Sample sample = OneCase.Measure(Case(method, Source));
        Assert.NotEqual(0, sample.Used.UserCpuNs + sample.Used.SystemCpuNs);
        TestFile file = Source.File;
        foreach (TestFile wrong in new[] { file with { Checksum = file.Checksum + 1 }, file with { Bytes = file.Bytes - 1 } })
        {
            Assert.Contains("with the sum", OneCase.Error(Case(method, Source with { File = wrong })), StringComparison.Ordinal);
        }

        Assert.Contains(
            "status 404", OneCase.Error(Case(method, Source with { Address = new Uri(Source.Address!, "7") })), StringComparison.Ordinal);
        Assert.Null(OneCase.Error(Case(method, Source)));
    }

    [NeedsFact(Need.Swift)]
    public void Program_that_was_killed_fails_one_invocation_and_is_started_again()
    {
        Assert.Null(OneCase.Error(Case(UrlSession.Best, Source)));
        using (Process process = Process.GetProcessById(UrlSessionProgram.ProcessId!.Value))
        {
            process.Kill();
            process.WaitForExit();
        }

        Assert.Contains("ended", OneCase.Error(Case(UrlSession.Best, Source)), StringComparison.Ordinal);
        Assert.Null(OneCase.Error(Case(UrlSession.Best, Source)));
    }

    [NeedsFact(Need.Swift)]
    public void Run_measures_the_program_and_says_what_has_no_number()
    {
        Assert.All(measured.Results.Cases, item => Assert.Null(item.Error));
        CaseResult[] cases = [.. measured.Results.Cases.Where(item => UrlSession.Is(item.Method))];
        Assert.Equal(3, cases.Length);
        bool hasCalls = measured.Results.Cases.Single(item => item.Baseline).Summary!.SystemCalls is not null;
        Assert.All(cases, item =>
        {
            Assert.Equal("http", item.Parameters.Source);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Null(item.Summary.AllocatedBytes);
            Assert.Contains("Swift", item.Unavailable!["allocatedBytes"], StringComparison.Ordinal);
            Assert.Equal(hasCalls, item.Summary.SystemCalls > 0);
        });
        Assert.Equal(OperatingSystem.IsMacOS() ? "bytes(from:)" : "delegate", cases.Single(item => item.Method == "UrlSessionBytesFor").Strategy);
    }

    [NeedsFact(Need.Swift | Need.Linux)]
    public void Memory_is_that_of_the_program()
    {
        var suite = new BytesSuite(FewRounds, 8_000_000);
        LabOptions options = measured.Options(UrlSession.DataFor);
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles server = ChildProgram.Workers.Serve(new ServeRequest("bytes", inputs.Files));
        MemoryResult memory = ChildProgram.Workers.MeasureMemory(new MemoryRequest("bytes", options, inputs.Files, 0) { Server = server.Address });
        Assert.Null(memory.Reason);
        Assert.True(memory.PeakOverIdleBytes > 8_000_000, $"{memory}");
    }

    private static ByteCase Case(string method, ByteSource source) => new(method, source, BytesSuite.MainBuffer);

    public sealed class Measured()
        : MeasuredSuite(new BytesSuite(FewRounds, 1_000_000), "UrlSession*", "Increments.Span*/http/*");
}
