using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites;
using Millrace.Lab.Suites.Transfers;
using Millrace.Lab.Tests.Infrastructure;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>Cases over a link, with real namespaces: these tests need root, iproute2 and util-linux, as ./test says.</summary>
public sealed class LinkedTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void File_goes_over_the_link_by_every_method_in_both_directions()
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

    [Fact]
    public void Every_request_takes_at_least_the_round_trip()
    {
        CaseResult item = Assert.Single(Launch("Http1/random/*/download/*/60 ms"));
        Assert.All(item.Samples!.WallNs, time => Assert.InRange(time, 60e6, double.MaxValue));
    }

    private CaseResult[] Launch(string filter)
    {
        var once = new RunLimits { MinimumRounds = 1, MaximumRounds = 1, Time = TimeSpan.Zero, MaximumPerVisit = 1 };
        var suite = new TransfersSuite(
            new TransfersLimits { Unflushed = once, Durable = once, Linked = once, Launches = 1 }, 1 << 20);
        var host = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, LabWorker.Argument]));
        var options = new LabOptions
        {
            Mode = LabMode.Quick,
            DataFolder = _folder.Path,
            Filters = [filter],
            Seed = 42,
            Command = "test",
            Launches = 1,
        };
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles served = host.Serve(new ServeRequest("transfers", inputs.Files));
        LaunchResult launch = suite.Launch(
            new LaunchRequest
            {
                Suite = "transfers",
                Options = options,
                Inputs = inputs.Files,
                Server = served.Address,
                Index = 0,
                Count = 1,
                Seed = 1,
            },
            new RecordedProgress(),
            default);
        Assert.Empty(launch.Absent);
        return [.. launch.Cases.Select(item => item.Case)];
    }
}
