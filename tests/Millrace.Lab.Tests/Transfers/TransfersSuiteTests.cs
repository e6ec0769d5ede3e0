using Millrace.Lab.Running;
using Millrace.Lab.Suites;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>The whole suite with few rounds.</summary>
public sealed class TransfersSuiteTests : IDisposable
{
    private readonly TransfersSuite _suite = SmallTransfers.Suite(rounds: 2);
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Run_measures_both_directions_and_relates_all_to_the_baseline_of_the_same_parameters()
    {
        LabResults results = Run(LabMode.Quick, "*/65536/*/coding none/*");
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            Assert.Equal([0, 1], item.Samples!.Round);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Null(item.Summary.BytesFrom);
        });
        Assert.Equal(
            ["HttpClient download none", "HttpClient upload none", "HttpClientSha256 download sha-256", "HttpClientSha256 upload sha-256"],
            results.Cases.Where(item => item.Baseline)
                .Select(item => $"{item.Method} {item.Parameters.Direction} {item.Parameters.Digest}").Order());
        Assert.Equal(
            ["Grpc", "GrpcWeb", "GrpcWebText", "Http1", "Http2"],
            results.Cases.Select(item => item.Strategy).OfType<string>().Distinct().Order());
        Assert.Equal(4, results.Noise.Count);
        Assert.Equal(
            ["GrpcDirect / HttpClient, download, gzip, every buffer ≥ 64 KiB"],
            results.Bars.Where(bar => bar.Met is null && !bar.Figure.Contains("round trip", StringComparison.Ordinal))
                .Select(bar => bar.Figure).Where(figure => figure.Contains("download", StringComparison.Ordinal)));
        Assert.Contains("of HttpClient with buffers of 64 KiB; it uploaded 22.79 MiB in", results.Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void Server_has_meters_only_in_a_separate_process()
    {
        LaunchResult launch = SmallTransfers.Launch(
            _suite, SmallTransfers.Options(_folder, LabMode.Full, "HttpClient/csv/*/65536/hot/*/none/none/coding none/*"));
        Assert.Contains("of the server", launch.Meters["serverCpuNs"], StringComparison.Ordinal);
        CaseResult[] cases = [.. launch.Cases.Values];
        Assert.Equal([1, 1, 2, 2], cases.Select(item => item.Parameters.Processes).Order());
        Assert.All(cases, item =>
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
    }

    [Fact]
    public void Durable_cases_and_a_large_file_are_measured_in_full_mode()
    {
        LabResults results = Run(LabMode.Full, "HttpClient*/*/65536/*/commit/*", "HttpClient/random/*/65536/*");
        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.Contains(results.Cases, item => item.Parameters is { Durability: "commit", Digest: "sha-256" });
        Assert.Contains(results.Cases, item => item.Parameters is { Content: "random", Bytes: 1 << 20 });
    }

    [Fact]
    public void Moved_files_are_removed()
    {
        Run(LabMode.Quick, "HttpClient/*/65536/*");
        string folder = TransferFolders.In(_folder.Path);
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.GetDirectoryName(TransferFolders.Downloaded(folder))!));
        Assert.Equal(
            ["taxi-fares.csv", "random-512KiB.bin"],
            Directory.EnumerateFiles(TransferFolders.Server(folder)).Select(Path.GetFileName).OrderDescending());
    }

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new TransfersSuite().TakeInputs(new LabOptions { FilePath = "mine", DataFolder = _folder.Path }));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        WorkerHost host = SmallTransfers.Host;
        LabOptions options = SmallTransfers.Options(_folder, LabMode.Quick, "HttpClient/*/65536/*/download/*");
        using SuiteInputs inputs = _suite.TakeInputs(options);
        using IServedFiles served = host.Serve(new ServeRequest("transfers", inputs.Files));
        MemoryResult memory = host.MeasureMemory(
            new MemoryRequest("transfers", options, inputs.Files, 0) { Server = served.Address });
        Assert.Equal(OperatingSystem.IsLinux(), memory.Reason is null);
        Assert.InRange(memory.PeakOverIdleBytes, 0, 16 << 20);
    }

    private LabResults Run(LabMode mode, params string[] filters) => SuiteRun.Run(
        _suite, SmallTransfers.Options(_folder, mode, filters), new InProcessHost(_suite), new RecordedProgress(), default);
}
