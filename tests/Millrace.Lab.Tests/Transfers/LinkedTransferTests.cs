using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>Cases over a link, with real namespaces.</summary>
public sealed class LinkedTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [NeedsFact(Need.Namespaces)]
    public void Every_method_moves_the_file_over_the_link_in_both_directions()
    {
        CaseResult[] cases = Launch("*/random/*/1 ms");
        Assert.Equal(
            ["GrpcDirect", "GrpcDirect", "Http1", "Http1", "Http2", "Http2", "HttpClient", "HttpClient"],
            cases.Select(item => item.Method).Order(StringComparer.Ordinal));
        Assert.All(cases, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal((1, 1_000_000_000L), (item.Parameters.RoundTripMs, item.Parameters.LinkBitsPerSecond));
            Assert.NotNull(item.Samples!.ServerCpuNs);

            // Over within the first second.
            Assert.Null(item.Samples.LinkShare);
        });
    }

    [NeedsFact(Need.Namespaces)]
    public void Every_request_takes_at_least_the_round_trip()
    {
        CaseResult item = Assert.Single(Launch("Http1/random/*/download/*/60 ms"));
        Assert.All(item.Samples!.WallNs, time => Assert.InRange(time, 60e6, double.MaxValue));
    }

    private CaseResult[] Launch(string filter)
    {
        LaunchResult launch = SmallTransfers.Launch(
            SmallTransfers.Suite(rounds: 1), SmallTransfers.Options(_folder, LabMode.Quick, filter));
        Assert.Empty(launch.Absent);
        return [.. launch.Cases.Values];
    }
}
