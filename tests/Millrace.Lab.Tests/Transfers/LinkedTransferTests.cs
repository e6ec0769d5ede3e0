namespace Millrace.Lab.Tests.Transfers;

[Trait("Tier", "All")]
public sealed class LinkedTransferTests
{
    [NeedsFact(Need.Namespaces)]
    public void Every_method_moves_the_file_over_the_link_and_every_request_takes_the_round_trip()
    {
        using var folder = new TemporaryFolder();
        LaunchResult launch = SmallTransfers.Launch(
            folder, LabMode.Quick, rounds: 1, "*/random/*/1 ms", "Http1/random/*/download/*/60 ms");
        Assert.Empty(launch.Absent);
        CaseResult[] cases = [.. launch.Cases.Values];
        CaseResult far = Assert.Single(cases, item => item.Parameters.RoundTripMs == 60);
        Assert.Equal(
            ["GrpcDirect", "GrpcDirect", "Http1", "Http1", "Http2", "Http2", "HttpClient", "HttpClient"],
            cases.Where(item => item != far).Select(item => item.Method).Order(StringComparer.Ordinal));
        Assert.All(cases, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal(1_000_000_000L, item.Parameters.LinkBitsPerSecond);
            Assert.NotNull(item.Samples!.ServerCpuNs);
            Assert.All(item.Samples.WallNs, time => Assert.InRange(time, item.Parameters.RoundTripMs!.Value * 1e6, double.MaxValue));
        });
    }
}
