using Google.Protobuf;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Files over the limit are refused by gRPC itself, and frames and base64 do not count.</summary>
public sealed class FileLimitTests : GrpcTest
{
    private static readonly byte[] Whole = Content.Of(100_000);

    [Theory, EveryForm]
    public async Task Larger_file_of_unknown_length_is_RESOURCE_EXHAUSTED(string form)
    {
        await LimitAsync();
        await AssertRefusedAsync(form);
        await LimitAsync(limitsBody: true);
        await AssertRefusedAsync(form);
    }
    [Theory, EveryForm]
    public async Task File_of_exactly_the_limit_is_accepted(string form)
    {
        await LimitAsync();
        foreach (int chunk in (int[])[7, 10_000, Whole.Length])
        {
            (await CallAsync(form, "Upload", Frames.Upload("a", Whole, chunk))).Only(Messages.UploadStatus.Parser);
            Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
            (await Server.Client.DeleteAsync("files/a")).EnsureSuccessStatusCode();
        }
    }

    [Theory, EveryForm]
    public async Task Part_up_to_exactly_the_limit_is_accepted_and_a_byte_more_refused(string form)
    {
        await LimitAsync();
        string upload = (await CallAsync(form, "StartUpload", Frames.Of(new StartUploadRequest { Name = "a" })))
            .Only(Messages.UploadStatus.Parser).Upload;

        (await CallAsync(form, "UploadPart", ResumableTests.Part(upload, 0, [.. Whole, 1]))).Failed(8, TransferError.TooLarge);
        (await CallAsync(form, "UploadPart", ResumableTests.Part(upload, 0, Whole))).Only(Messages.UploadStatus.Parser);
        (await CallAsync(form, "UploadPart", ResumableTests.Part(upload, Whole.Length, [1]))).Failed(8, TransferError.TooLarge);
        (await CallAsync(form, "CommitUpload", Frames.Of(new CommitUploadRequest { Upload = upload }))).Only(Messages.UploadStatus.Parser);

        Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
    }

    /// <summary>As on a slow line: the status comes at once, and the rest of the part does not break the connection.</summary>
    [Fact]
    public async Task Refused_part_is_answered_at_once_and_received_to_its_end()
    {
        await LimitAsync();
        string upload = (await CallAsync("StartUpload", new StartUploadRequest { Name = "a" })).Only(Messages.UploadStatus.Parser).Upload;
        byte[] part = ResumableTests.Part(upload, 0, Content.Of(2_000_000));
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Server.Address,
            "POST /millrace.v1.FileTransfer/UploadPart HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc-web+proto\r\n"
            + $"Content-Length: {part.Length}\r\n\r\n");

        await connection.SendAsync(part[..1000]);
        Assert.Contains("\r\ngrpc-status: 8\r\n", await connection.ReadHeadAsync(), StringComparison.OrdinalIgnoreCase);
        foreach (byte[] rest in part[1000..].Chunk(100_000))
        {
            Assert.True(await connection.SendAsync(rest));
        }

        Assert.True(await connection.SendAsync("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        Assert.StartsWith("HTTP/1.1 200 ", await connection.ReadHeadAsync(), StringComparison.Ordinal);
    }

    /// <summary>The rest of its body is received, or given up, after a read that was canceled. Kestrel may say that it was.</summary>
    [Theory, InlineData("Content-Length: 1000"), InlineData("Transfer-Encoding: chunked")]
    public async Task Call_whose_time_is_over_ends_without_an_exception_in_the_log(string framing)
    {
        var log = new CapturedLog(LogLevel.Error);
        await ServeAsync(host: host => host.Logging = logging => logging.AddProvider(log));
        byte[] head = Frames.Head("a");
        using (RawConnection connection = await RawConnection.OpenAsync(
            Server.Server.Address,
            "POST /millrace.v1.FileTransfer/Upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc-web+proto\r\n"
            + $"grpc-timeout: 50m\r\n{framing}\r\n\r\n"))
        {
            bool isChunked = framing.Contains("chunked", StringComparison.Ordinal);
            await connection.SendAsync(isChunked ? [.. Encoding.ASCII.GetBytes($"{head.Length:x}\r\n"), .. head, .. "\r\n"u8] : head);
            Assert.Contains("\r\ngrpc-status: 4\r\n", await connection.ReadHeadAsync(), StringComparison.OrdinalIgnoreCase);
            await connection.SendAsync(isChunked ? "1\r\nx\r\n" : "x");
        }

        // The server logs before it lets go of a connection.
        await Server.Server.StopAsync();
        Assert.DoesNotContain(log.Lines, static line => line.Contains("unhandled exception", StringComparison.Ordinal));
    }

    /// <remarks>Ten times: Kestrel begins to discard the rest of a body at any moment.</remarks>
    [Theory, InlineData("grpc-web"), InlineData("grpc-web-text")]
    public async Task Call_whose_time_is_over_leaves_its_connection_usable(string form)
    {
        await ServeAsync();
        byte[] body = Encoded(FormOf(form), Frames.Upload("a", Content.Of(1000), chunk: 500));
        for (int i = 0; i < 10; i++)
        {
            using RawConnection connection = await RawConnection.OpenAsync(
                Server.Server.Address,
                $"POST /millrace.v1.FileTransfer/Upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/{form}+proto\r\n"
                + $"grpc-timeout: 50m\r\nContent-Length: {body.Length}\r\n\r\n");
            Assert.True(await connection.SendAsync(body[..100]));
            string head = await connection.ReadHeadAsync();
            Assert.StartsWith("HTTP/1.1 200 ", head, StringComparison.Ordinal);
            Assert.Contains("\r\ngrpc-status: 4\r\n", head, StringComparison.OrdinalIgnoreCase);
            Assert.True(await connection.SendAsync(body[100..]));
            Assert.True(await connection.SendAsync("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
            Assert.StartsWith("HTTP/1.1 200 ", await connection.ReadHeadAsync(), StringComparison.Ordinal);
        }
    }

    private async Task AssertRefusedAsync(string form)
    {
        byte[] body = Encoded(FormOf(form), Frames.Upload("a", Content.Of(1_000_000), chunk: 10_000));
        for (int i = 0; i < 10; i++)
        {
            using var content = new StreamedContent(stream => stream.WriteAsync(body).AsTask());
            (await SendAsync(FormOf(form), Request(FormOf(form), "Upload", content))).Failed(8, TransferError.TooLarge);
        }

        Assert.False(File.Exists(PathOf("a")));
        Assert.Empty(Leftovers());
    }

    /// <param name="limitsBody">Whether Kestrel, too, finds that too much came.</param>
    private Task LimitAsync(bool limitsBody = false) => ServeAsync(host: host =>
    {
        host.Store.MaxFileBytes = Whole.Length;
        host.Limits.MaxBodyBytes = limitsBody ? Whole.Length : null;
    });
}
