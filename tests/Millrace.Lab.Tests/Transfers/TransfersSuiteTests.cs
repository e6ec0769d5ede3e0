namespace Millrace.Lab.Tests.Transfers;

[Trait("Tier", "All")]
public sealed class TransfersSuiteTests(TransfersSuiteTests.Measured measured) : IClassFixture<TransfersSuiteTests.Measured>
{
    private readonly LabResults _results = measured.Results;

    [Fact]
    public void Run_measures_both_directions_and_relates_all_to_the_baseline_of_the_same_parameters()
    {
        Assert.All(_results.Cases, item =>
        {
            Assert.Null(item.Error);

            // Only Linux reports the page cache's content.
            Assert.Equal(OperatingSystem.IsLinux(), item.Verified);
            Assert.Equal([0, 1], item.Samples!.Round);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Null(item.Summary.BytesFrom);
        });
        Assert.Equal(
            ["HttpClient download none", "HttpClient upload none", "HttpClientSha256 download sha-256", "HttpClientSha256 upload sha-256"],
            _results.Cases.Where(item => item.Baseline)
                .Select(item => $"{item.Method} {item.Parameters.Direction} {item.Parameters.Digest}").Order());
        Assert.Equal(
            ["Grpc", "GrpcWeb", "GrpcWebText", "Http1", "Http2"],
            _results.Cases.Select(item => item.Strategy).OfType<string>().Distinct().Order());
        Assert.Equal(4, _results.Noise.Count);
        Assert.Equal(
            ["GrpcDirect / HttpClient, download, gzip, every buffer ≥ 64 KiB"],
            _results.Targets.Where(target => target.Met is null && !target.Figure.Contains("round trip", StringComparison.Ordinal))
                .Select(target => target.Figure).Where(figure => figure.Contains("download", StringComparison.Ordinal)));
        Assert.Matches("^Downloading 22.79 MiB with buffers of 64 KiB, TransferClient .* as HttpClient; uploading 22.79 MiB ", _results.Finding);
    }

    [Fact]
    public void An_array_per_message_allocates_the_file_and_a_rented_one_does_not() =>
        Assert.All(
            _results.Cases.Where(item => item.Role is null && TransferMethod.Find(item.Method).Peers is not null),
            item => Assert.Equal(
                item.Method.EndsWith("ByteArray", StringComparison.Ordinal), item.Summary!.AllocatedBytes >= item.Parameters.Bytes));

    [Fact]
    public void Moved_files_are_removed()
    {
        string folder = TransferFolders.In(measured.Folder.Path);
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.GetDirectoryName(TransferFolders.Downloaded(folder))!));
        Assert.Equal(
            ["taxi-fares.csv", "random-320KiB.bin"],
            Directory.EnumerateFiles(TransferFolders.Server(folder)).Select(Path.GetFileName).OrderDescending());
    }

    [Fact]
    public void Full_mode_measures_servers_in_separate_processes_durable_files_and_a_large_one()
    {
        using var folder = new TemporaryFolder();
        LaunchResult launch = SmallTransfers.Launch(
            folder,
            LabMode.Full,
            rounds: 2,
            "HttpClient/csv/*/65536/hot/*/none/none/coding none/*", "HttpClient*/*/65536/*/commit/*", "HttpClient/random/*/65536/*");
        Assert.Contains("of the server", launch.Meters["serverCpuNs"], StringComparison.Ordinal);
        Assert.All(launch.Cases.Values, item =>
        {
            Assert.Null(item.Error);
            CaseSamples samples = item.Samples!;
            Assert.Equal(item.Parameters.Processes == 2, samples.ServerCpuNs is not null);
            Assert.Equal(item.Parameters.Processes == 2, samples.ServerAllocatedBytes is not null);
            Assert.Equal(item.Parameters.Processes == 2, samples.ServerGen2 is not null);
            Assert.Equal(
                item.Parameters.Processes == 2 && OperatingSystem.IsLinux(), samples.ServerPeakResidentBytes is not null);
            Assert.All(samples.ServerAllocatedBytes ?? [1], bytes => Assert.InRange(bytes, 1, 4 << 20));
            Assert.All(samples.ServerPeakResidentBytes ?? [1 << 24], bytes => Assert.InRange(bytes, 1 << 24, 1 << 30));
        });
        CaseParameters[] cases = [.. launch.Cases.Values.Select(item => item.Parameters)];
        Assert.Equal(
            [1, 1, 2, 2],
            cases.Where(item => item is { Content: "csv", Durability: "none" }).Select(item => item.Processes).Order());
        Assert.Contains(cases, item => item is { Durability: "commit", Digest: "sha-256" });
        Assert.Contains(cases, item => item is { Content: "random", Bytes: 1 << 20 });
    }

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new TransfersSuite().TakeInputs(new LabOptions { FilePath = "mine", DataFolder = measured.Folder.Path }));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        LabOptions options = measured.Options("HttpClient/*/65536/*/download/*");
        using SuiteInputs inputs = SmallTransfers.Suite(rounds: 1).TakeInputs(options);
        using IServedFiles served = ChildProgram.Workers.Serve(new ServeRequest("transfers", inputs.Files));
        MemoryResult memory = ChildProgram.Workers.MeasureMemory(
            new MemoryRequest("transfers", options, inputs.Files, 0) { Server = served.Address });
        Assert.Equal(OperatingSystem.IsLinux(), memory.Reason is null);
        Assert.InRange(memory.PeakOverIdleBytes, 0, 16 << 20);
    }

    public sealed class Measured() : MeasuredSuite(SmallTransfers.Suite(rounds: 2, warmUpPhases: 1), "*/65536/*/coding none/*");
}
