using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;
using Millrace.Transfer.Tests.Framing;

namespace Millrace.Transfer.Tests.Grpc;

/// <summary>The metadata, deadline and cancellation of a call.</summary>
public sealed class CallTests
{
    [Theory]
    [InlineData(TransferProtocol.Grpc, "application/grpc+proto")]
    [InlineData(TransferProtocol.GrpcWeb, "application/grpc-web+proto")]
    [InlineData(TransferProtocol.GrpcWebText, "application/grpc-web-text+proto")]
    public async Task Call_has_the_fields_that_servers_require(TransferProtocol protocol, string contentType)
    {
        var seen = new ConcurrentDictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        await using RawServer server = await RawServer.StartAsync(protocol, context =>
        {
            seen[":path"] = context.Request.Path;
            foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in context.Request.Headers)
            {
                seen[name] = values.ToString();
            }

            return RawAnswer.WriteAsync(context, protocol, [RawAnswer.Download(new byte[10])]);
        });
        using TransferClient client = server.Connect(options =>
        {
            options.VerifyDigests = false;
            options.Token = "mr_secret";
            options.CallTimeout = TimeSpan.FromSeconds(90);
            options.Compression = TransferCompression.Gzip;
        });

        await client.GetAsync(Clients.Name("x"), Stream.Null);

        Assert.Equal("/millrace.v1.FileTransfer/Download", seen[":path"]);
        Assert.Equal(contentType, seen["content-type"]);
        Assert.Equal("identity,gzip", seen["grpc-accept-encoding"]);
        Assert.Equal("gzip", seen["grpc-encoding"]);
        Assert.Equal("90000000u", seen["grpc-timeout"]);
        Assert.Equal("Bearer mr_secret", seen["authorization"]);
        Assert.StartsWith("grpc-dotnet-millrace/", seen["user-agent"], StringComparison.Ordinal);
        Assert.Equal(protocol == TransferProtocol.Grpc ? "trailers" : null, seen.GetValueOrDefault("te"));
        Assert.Equal(protocol == TransferProtocol.Grpc ? null : "1", seen.GetValueOrDefault("x-grpc-web"));
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc, false, true)]
    public async Task Call_ends_at_its_deadline(TransferProtocol protocol, bool begun)
    {
        var aborted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using RawServer server = await RawServer.StartAsync(
            protocol, context => HangAsync(context, protocol, begun, aborted));
        using TransferClient client = server.Connect(options => options.CallTimeout = TimeSpan.FromMilliseconds(150));

        // On a busy machine the deadline can pass before the call arrives.
        await Bounded.UntilAsync(async () =>
        {
            TransferException exception = await Fails.WithAsync(TransferError.TooSlow, () => client.GetAsync(Clients.Name("x"), Stream.Null));
            Assert.True(exception.IsTransient);
            Assert.Contains("0.15 s", exception.Message, StringComparison.Ordinal);
            return aborted.Task.IsCompleted;
        });
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc, false, true)]
    public async Task A_canceled_call_ends_at_the_server_too(TransferProtocol protocol, bool begun)
    {
        var aborted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var cancel = new CancellationTokenSource();
        await using RawServer server = await RawServer.StartAsync(protocol, async context =>
        {
            await (begun ? RawAnswer.WriteAsync(context, protocol, [Frames.Of(RawAnswer.File(10))], status: null) : Task.CompletedTask);
            await cancel.CancelAsync();
            await HangAsync(context, protocol, begun: false, aborted);
        });
        using TransferClient client = server.Connect();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => client.GetAsync(Clients.Name("x"), Stream.Null, default, null, cancel.Token));

        await aborted.Task.WaitAsync(TimeSpan.FromMinutes(5));
    }

    [Fact]
    public async Task Idle_call_counts_as_dead()
    {
        var aborted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using RawServer server = await RawServer.StartAsync(
            TransferProtocol.Grpc, context => HangAsync(context, TransferProtocol.Grpc, begun: true, aborted));
        using TransferClient client = server.Connect(options => options.IdleTimeout = TimeSpan.FromMilliseconds(300));

        TransferException exception = await Fails.WithAsync(
            TransferError.Disconnected, () => client.GetAsync(Clients.Name("x"), Stream.Null));

        Assert.True(exception.IsTransient);
    }

    private static async Task HangAsync(HttpContext context, TransferProtocol protocol, bool begun, TaskCompletionSource aborted)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration _ = context.RequestAborted.Register(() =>
        {
            aborted.TrySetResult();
            ended.TrySetResult();
        });
        if (begun)
        {
            await RawAnswer.WriteAsync(context, protocol, [Frames.Of(RawAnswer.File(10)), Frames.Of(RawAnswer.Data([1, 2, 3]))], status: null);
        }

        await ended.Task.WaitAsync(TimeSpan.FromMinutes(5));
    }
}
