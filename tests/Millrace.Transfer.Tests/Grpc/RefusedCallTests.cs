using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Tests.Grpc;

/// <summary>The errors for statuses, from any server.</summary>
public sealed class RefusedCallTests
{
    [Theory]
    [InlineData(5, TransferError.NotFound, false)]
    [InlineData(1, TransferError.Failed, false)]
    [InlineData(2, TransferError.Failed, false)]
    [InlineData(3, TransferError.InvalidRequest, false)]
    [InlineData(4, TransferError.TooSlow, true)]
    [InlineData(6, TransferError.AlreadyExists, false)]
    [InlineData(7, TransferError.Forbidden, false)]
    [InlineData(8, TransferError.TooLarge, false)]
    [InlineData(9, TransferError.PreconditionFailed, false)]
    [InlineData(10, TransferError.Superseded, true)]
    [InlineData(11, TransferError.RangeNotSatisfiable, false)]
    [InlineData(12, TransferError.ProtocolNotOffered, false)]
    [InlineData(13, TransferError.Failed, false)]
    [InlineData(14, TransferError.Disconnected, true)]
    [InlineData(15, TransferError.DigestMismatch, false)]
    [InlineData(16, TransferError.Unauthorized, false)]
    [InlineData(99, TransferError.Failed, false)]
    public async Task A_status_of_any_server_is_an_error_of_the_contract(int status, TransferError error, bool transient)
    {
        foreach (TransferProtocol protocol in (TransferProtocol[])[TransferProtocol.Grpc, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText])
        {
            TransferException inTrailers = await RefusedAsync(
                protocol, context => RawAnswer.WriteAsync(context, protocol, [], status, ("grpc-message", "caf%C3%A9 100%25")));
            TransferException inHeaders = await RefusedAsync(protocol, context =>
            {
                RawAnswer.Begin(context, protocol);
                context.Response.Headers["grpc-status"] = $"{status}";
                context.Response.Headers["grpc-message"] = "caf%C3%A9 100%25";
                return Task.CompletedTask;
            });

            Assert.Equal((error, transient, protocol), (inTrailers.Error, inTrailers.IsTransient, inTrailers.Protocol));
            Assert.Equal((error, transient, protocol), (inHeaders.Error, inHeaders.IsTransient, inHeaders.Protocol));
            Assert.Contains("café 100%", inTrailers.Message, StringComparison.Ordinal);
            Assert.Contains("café 100%", inHeaders.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(8, "NoSpace", TransferError.NoSpace, false)]
    [InlineData(8, "TooManyTransfers", TransferError.TooManyTransfers, true)]
    [InlineData(9, "UploadComplete", TransferError.UploadComplete, true)]
    [InlineData(10, "OffsetMismatch", TransferError.OffsetMismatch, true)]
    [InlineData(13, "Failed", TransferError.Failed, true)]
    [InlineData(5, "Unheard", TransferError.NotFound, false)]
    [InlineData(5, "77", TransferError.NotFound, false)]
    public async Task Millrace_server_sends_the_error_itself(int status, string name, TransferError error, bool transient)
    {
        TransferException exception = await RefusedAsync(TransferProtocol.Grpc, context => RawAnswer.WriteAsync(
            context, TransferProtocol.Grpc, [], status, ("millrace-error", name), ("millrace-offset", "1234"), ("retry-after", "7")));

        Assert.Equal((error, transient), (exception.Error, exception.IsTransient));
        Assert.Equal(1234, exception.Offset);
        Assert.Equal(TimeSpan.FromSeconds(7), exception.RetryAfter);
    }

    [Theory]
    [InlineData(400, TransferError.Failed, false)]
    [InlineData(401, TransferError.Unauthorized, false)]
    [InlineData(403, TransferError.Forbidden, false)]
    [InlineData(404, TransferError.ProtocolNotOffered, false)]
    [InlineData(418, TransferError.Failed, false)]
    [InlineData(429, TransferError.Disconnected, true)]
    [InlineData(500, TransferError.Failed, false)]
    [InlineData(502, TransferError.Disconnected, true)]
    [InlineData(503, TransferError.Disconnected, true)]
    [InlineData(504, TransferError.Disconnected, true)]
    public async Task HTTP_status_without_a_gRPC_status_is_mapped_as_gRPC_specifies(int status, TransferError error, bool transient)
    {
        foreach (TransferProtocol protocol in (TransferProtocol[])[TransferProtocol.Grpc, TransferProtocol.GrpcWeb])
        {
            TransferException exception = await RefusedAsync(protocol, context =>
            {
                context.Response.StatusCode = status;
                context.Response.ContentType = "text/html";
                return context.Response.WriteAsync("<html>");
            });

            Assert.Equal((error, transient, status), (exception.Error, exception.IsTransient, exception.Status!.Value));
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Retry_time_of_a_proxy_may_be_a_date(TransferProtocol protocol)
    {
        TransferException exception = await RefusedAsync(protocol, context =>
        {
            context.Response.StatusCode = 503;
            context.Response.Headers.RetryAfter = "Fri, 31 Dec 9999 23:59:59 GMT";
            return context.Response.WriteAsync("<html>");
        });

        Assert.True(exception.RetryAfter > TimeSpan.FromDays(365_000));
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Web_page_is_not_a_valid_answer(TransferProtocol protocol)
    {
        TransferException exception = await RefusedAsync(protocol, context =>
        {
            context.Response.ContentType = "text/html";
            return context.Response.WriteAsync("<html>");
        });

        Assert.Equal(TransferError.Protocol, exception.Error);
        Assert.Contains("text/html", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unavailable_server_is_retried()
    {
        int calls = 0;
        await using RawServer server = await RawServer.StartAsync(TransferProtocol.Grpc, context => calls++ == 0
            ? RawAnswer.WriteAsync(context, TransferProtocol.Grpc, [], status: 14)
            : RawAnswer.WriteAsync(context, TransferProtocol.Grpc, [RawAnswer.Download(new byte[10])]));
        using TransferClient client = server.Connect(options =>
        {
            options.MaxAttempts = 3;
            options.VerifyDigests = false;
        });

        TransferResult result = await client.GetAsync(Clients.Name("x"), Stream.Null);

        Assert.Equal(2, result.Attempts);
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task A_refusal_ends_an_upload_that_is_still_being_sent(TransferProtocol protocol)
    {
        await using RawServer server = await RawServer.StartAsync(
            protocol, context => RawAnswer.WriteAsync(context, protocol, [], status: 8, ("millrace-error", "NoSpace")));
        using TransferClient client = server.Connect();
        long given = 0;

        await Fails.WithAsync(TransferError.NoSpace, () => client.PutAsync(Endless(), Clients.Name("x")));
        Assert.InRange(given, 1, 1_000_000_000);

        async IAsyncEnumerable<ReadOnlyMemory<byte>> Endless()
        {
            byte[] block = new byte[100_000];
            for (; given < 10_000_000_000; given += block.Length)
            {
                await Task.Yield();
                yield return block;
            }
        }
    }

    private static async Task<TransferException> RefusedAsync(TransferProtocol protocol, RequestDelegate answer)
    {
        await using RawServer server = await RawServer.StartAsync(protocol, answer);
        using TransferClient client = server.Connect();
        return await Assert.ThrowsAsync<TransferException>(() => client.GetAsync(Clients.Name("x"), Stream.Null));
    }
}
