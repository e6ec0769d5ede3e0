using System.Collections.Concurrent;
using System.Diagnostics;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Describing;

/// <summary>The activities of clients, and the server's activities of calls.</summary>
public sealed class TraceTests : ServerTest, IDisposable
{
    private readonly ConcurrentQueue<Activity> _seen = new();
    private readonly ActivityListener _listener;

    public TraceTests()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == TransferClientDiagnostics.Name || source.Name == TransferDiagnostics.Name,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = _seen.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Transfers_are_traced_with_their_name_and_end(TransferProtocol protocol)
    {
        string name = $"{Guid.NewGuid():N}";
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        await client.PutAsync(new MemoryStream(new byte[10]), Clients.Name(name));
        await client.GetAsync(Clients.Name(name), Stream.Null);
        await Fails.WithAsync(TransferError.NotFound, () => client.GetAsync(Clients.Name(name + "x"), Stream.Null));

        Activity put = Single("millrace put", name);
        Assert.Equal((ActivityKind.Client, ActivityStatusCode.Unset), (put.Kind, put.Status));
        Assert.Equal((10L, 1), (put.GetTagItem("millrace.transfer.bytes"), put.GetTagItem("millrace.transfer.attempts")));
        Assert.Equal(("127.0.0.1", Server.Files.Port), (put.GetTagItem("server.address"), put.GetTagItem("server.port")));
        Assert.Null(Single("millrace get", name).GetTagItem("error.type"));
        Activity failed = Single("millrace get", name + "x");
        Assert.Equal(("NotFound", ActivityStatusCode.Error), (failed.GetTagItem("error.type"), failed.Status));
    }

    [Fact]
    public async Task Calls_are_traced_with_their_method_and_status_at_both_ends()
    {
        string name = $"{Guid.NewGuid():N}";
        using TransferClient client = Server.Connect(options => options.Protocol = TransferProtocol.Grpc);
        await client.PutAsync(new MemoryStream(new byte[10]), Clients.Name(name));
        await Fails.WithAsync(TransferError.NotFound, () => client.GetAsync(Clients.Name(name + "x"), Stream.Null));

        Activity get = Single("millrace get", name + "x");
        Activity call = Assert.Single(_seen, each => each.ParentSpanId == get.SpanId && each.OperationName == "millrace.v1.FileTransfer/Download");
        AssertNotFound(call);
        await Bounded.UntilAsync(() => _seen.Any(each => each.OperationName == "millrace transmit" && IsOf(each, name + "x")));
        AssertNotFound(Single("millrace transmit", name + "x"));
        await Bounded.UntilAsync(() => _seen.Any(each => each.OperationName == "millrace receive" && IsOf(each, name)));
        Activity[] received = [.. _seen.Where(each => each.OperationName == "millrace receive" && IsOf(each, name))];
        Assert.All(received, static each => Assert.Equal("OK", each.GetTagItem("rpc.response.status_code")));
        Assert.All(received, static each => Assert.Null(each.GetTagItem("error.type")));
    }

    public void Dispose() => _listener.Dispose();

    private static void AssertNotFound(Activity call)
    {
        Assert.Equal("grpc", call.GetTagItem("rpc.system.name"));
        Assert.Equal("millrace.v1.FileTransfer/Download", call.GetTagItem("rpc.method"));
        Assert.Equal("NOT_FOUND", call.GetTagItem("rpc.response.status_code"));
        Assert.NotNull(call.GetTagItem("error.type"));
    }

    private static bool IsOf(Activity activity, string name) => (string?)activity.GetTagItem("millrace.name") == name;

    private Activity Single(string operation, string name) =>
        Assert.Single(_seen, each => each.OperationName == operation && IsOf(each, name));
}
