using Millrace.Transfer.Messages.Health;
using ServingStatus = Millrace.Transfer.Messages.Health.HealthCheckResponse.Types.ServingStatus;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>grpc.health.v1.Health.</summary>
[NeedsLocalFolder]
public sealed class HealthCallTests : GrpcTest
{
    private const string Check = "/grpc.health.v1.Health/Check";
    private const string Watch = "/grpc.health.v1.Health/Watch";

    [Theory, InlineData(""), InlineData("millrace.v1.FileTransfer")]
    public async Task Writable_store_is_SERVING(string service)
    {
        GrpcReply reply = await CallAsync(Check, new HealthCheckRequest { Service = service });
        Assert.Equal(ServingStatus.Serving, reply.Only(HealthCheckResponse.Parser).Status);
    }

    [Fact]
    public async Task Unwritable_store_is_NOT_SERVING()
    {
        await ServeAsync(host: static host => host.Store.FreeSpaceToLeave = long.MaxValue);
        GrpcReply reply = await CallAsync(Check, new HealthCheckRequest());
        Assert.Equal(ServingStatus.NotServing, reply.Only(HealthCheckResponse.Parser).Status);
    }

    [Fact]
    public async Task Another_service_is_not_found() =>
        (await CallAsync(Check, new HealthCheckRequest { Service = "other" })).Failed(5);

    [Theory]
    [InlineData("grpc", "", 1)]
    [InlineData("grpc", "other", 3)]
    [InlineData("grpc-web", "", 1)]
    public async Task Watch_reports_at_once_and_when_the_server_stops(string form, string service, int expected)
    {
        using var content = new ByteArrayContent(Frames.Of(new HealthCheckRequest { Service = service }));
        using HttpRequestMessage request = Request(FormOf(form), Watch, content);
        using HttpResponseMessage response = await Http2.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).Soon();
        await using Stream stream = await response.Content.ReadAsStreamAsync();
        byte[] frame = new byte[7];
        await stream.ReadExactlyAsync(frame).AsTask().Soon();
        Assert.Equal(expected, (int)HealthCheckResponse.Parser.ParseFrom(frame.AsSpan(5)).Status);

        Task<int> stopped = Server.Server.StopAsync();
        await stream.ReadExactlyAsync(frame).AsTask().Soon();
        Assert.Equal(ServingStatus.NotServing, HealthCheckResponse.Parser.ParseFrom(frame.AsSpan(5)).Status);
        Assert.Equal(0, await stopped.Soon());
    }

    [Fact]
    public async Task Watcher_can_disconnect()
    {
        using var content = new ByteArrayContent(Frames.Of(new HealthCheckRequest()));
        using HttpRequestMessage request = Request(GrpcForm.Http2, Watch, content);
        using (HttpResponseMessage response = await Http2.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).Soon())
        {
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }

        GrpcReply reply = await CallAsync(Check, new HealthCheckRequest());
        Assert.Equal(0, reply.Status);
    }
}
