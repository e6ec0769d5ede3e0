using System.Net.Http.Headers;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>What gRPC's own documents say of calls that are not as they should be.</summary>
public sealed class ProtocolTests : GrpcTest
{
    private static readonly byte[] Stat = Frames.Of(Frames.Field(1, "a"u8));

    [Theory]
    [InlineData("Rename")]
    [InlineData("/grpc.health.v1.Health/Ping")]
    [InlineData("/some.other.Service/Call")]
    public async Task Unknown_method_of_the_service_is_UNIMPLEMENTED(string method)
    {
        foreach (string form in (string[])["grpc", "grpc-web", "grpc-web-text"])
        {
            GrpcReply reply = await CallAsync(form, method, Stat);
            reply.Failed(12);
            Assert.True(reply.IsTrailersOnly);
        }
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/grpc+json")]
    [InlineData("application/grpc-web+thrift")]
    [InlineData("application/grpcx")]
    public async Task Another_media_type_is_415(string mediaType)
    {
        using var content = new ByteArrayContent(Stat);
        content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        GrpcReply reply = await SendAsync(GrpcForm.Http2, Request(GrpcForm.Http2, "Stat", content));
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, reply.HttpStatus);
    }

    [Theory]
    [InlineData("application/grpc+proto")]
    [InlineData("application/grpc; charset=utf-8")]
    [InlineData("Application/GRPC")]
    public async Task The_same_media_type_is_written_in_several_ways(string mediaType)
    {
        Put("a", []);
        using var content = new ByteArrayContent(Stat);
        content.Headers.ContentType = MediaTypeHeaderValue.Parse(mediaType);
        (await SendAsync(GrpcForm.Http2, Request(GrpcForm.Http2, "Stat", content))).Only(FileVersion.Parser);
    }

    [Theory, InlineData("GET"), InlineData("PUT"), InlineData("OPTIONS")]
    public async Task Another_method_is_405(string method)
    {
        using var content = new ByteArrayContent(Stat);
        HttpRequestMessage request = Request(GrpcForm.Http2, "Stat", content);
        request.Method = new HttpMethod(method);
        if (method == "GET")
        {
            request.Content = null;
        }

        using HttpRequestMessage sent = request;
        using HttpResponseMessage response = await Http2.SendAsync(sent);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Equal(["POST"], response.Content.Headers.Allow);
    }

    [Fact]
    public async Task GRPC_itself_needs_HTTP_2()
    {
        using var content = new ByteArrayContent(Stat);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        await Server.Client.PostAsync(new Uri("/millrace.v1.FileTransfer/Stat", UriKind.Relative), content)
            .AnswersAsync(HttpStatusCode.UpgradeRequired);
    }

    [Fact]
    public async Task An_unknown_encoding_is_unimplemented_and_the_known_ones_are_named()
    {
        GrpcReply reply = await CallAsync("Stat", Stat, ("grpc-encoding", "snappy"));
        reply.Failed(12);
        Assert.Equal("identity,gzip", reply.Headers["grpc-accept-encoding"]);
        Assert.Contains("gzip", reply.Message, StringComparison.Ordinal);
    }

    [Theory, InlineData(""), InlineData("identity")]
    public async Task A_compressed_message_without_an_encoding_is_an_internal_error(string encoding)
    {
        byte[] body = Frames.Of(Coded.Gzip(Frames.Field(1, "a"u8)), flags: 1);
        GrpcReply reply = encoding.Length == 0
            ? await CallAsync("Stat", body)
            : await CallAsync("Stat", body, ("grpc-encoding", encoding));
        reply.Failed(13);
    }

    [Fact]
    public async Task Any_message_may_be_compressed()
    {
        Put("a", Content.Of(10));
        byte[] body = Frames.Of(Coded.Gzip(Frames.Field(1, "a"u8)), flags: 1);
        (await CallAsync("Stat", body, ("grpc-encoding", "gzip"))).Only(FileVersion.Parser);
        GrpcReply download = await CallAsync("Download", body, ("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip"));
        Assert.Equal(10, download.Content().Length);
    }

    public static TheoryData<string, byte[]> Broken { get; } = new()
    {
        { "no gzip", Frames.Of([1, 2, 3], flags: 1) },
        { "nothing", Frames.Of([], flags: 1) },
        { "half of it", Frames.Of(Coded.Gzip(Frames.Field(1, "a"u8)).AsSpan()[..^9], flags: 1) },
        { "without its end", Frames.Of(Coded.Gzip(Frames.Field(1, "a"u8)).AsSpan()[..^1], flags: 1) },
        { "more after it", Frames.Of([.. Coded.Gzip(Frames.Field(1, "a"u8)), 1, 2, 3], flags: 1) },
        { "no message in it", Frames.Of(Coded.Gzip([0xff, 0xff]), flags: 1) },
    };

    [Theory, MemberData(nameof(Broken))]
    public async Task A_compressed_message_that_is_broken_is_an_internal_error(string what, byte[] body)
    {
        Assert.NotEmpty(what);
        (await CallAsync("Stat", body, ("grpc-encoding", "gzip"))).Failed(13);
    }

    [Theory, InlineData(1), InlineData(4), InlineData(6)]
    public async Task Truncated_frame_is_an_internal_error(int bytes)
    {
        (await CallAsync("Stat", Stat[..bytes])).Failed(13);
        (await CallAsync("Upload", Frames.Join(Frames.Head("a"), Frames.Data([1, 2, 3])[..bytes]))).Failed(13);
        Assert.False(File.Exists(PathOf("a")));
    }

    [Fact]
    public async Task Malformed_message_is_an_internal_error()
    {
        (await CallAsync("Stat", Frames.Of([0xff]))).Failed(13);
        (await CallAsync("Stat", Frames.Of(Frames.Field(1, "a"u8).AsSpan(0, 2)))).Failed(13);
        (await CallAsync("Stat", Frames.Of(Stat, flags: 2))).Failed(13);
    }

    /// <summary>Its fields have the numbers of ours, and mean something else: no name, no message.</summary>
    [Fact]
    public async Task Unknown_group_is_skipped()
    {
        byte[] group = [(9 << 3) | 3, .. Frames.Field(1, [0xff]), (8 << 3) | 3, .. Frames.Field(2, [0xff]), (8 << 3) | 4, (9 << 3) | 4];
        (await CallAsync("Stat", Frames.Of([.. Frames.Field(1, "none"u8), .. group]))).Failed(5, TransferError.NotFound);
        (await CallAsync("StartUpload", Frames.Of([.. Frames.Field(1, "new"u8), .. group]))).Only(Messages.UploadStatus.Parser);
        (await CallAsync("Stat", Frames.Of([.. group, .. Frames.Field(1, [0xff])]))).Failed(3, TransferError.InvalidName);
    }

    [Fact]
    public async Task Wrong_count_of_messages_is_UNIMPLEMENTED()
    {
        (await CallAsync("Stat", [])).Failed(12);
        (await CallAsync("Stat", Frames.Join(Stat, Stat))).Failed(12);
        (await CallAsync("UploadPart", [])).Failed(12);
        (await CallAsync("Download", Frames.Join(Stat, Stat))).Failed(12);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Oversized_message_is_RESOURCE_EXHAUSTED(bool packed)
    {
        await ServeAsync(static grpc => grpc.MaxMessageBytes = 100_000);
        foreach (int bytes in (int[])[100_000, 10_000_000])
        {
            byte[] data = Frames.Field(1, new byte[bytes]);
            byte[] body = Frames.Join(Frames.Head("a"), packed ? UploadTests.Packed(data) : Frames.Of(data), Frames.End(bytes));
            (await CallAsync("Upload", body, ("grpc-encoding", "gzip"))).Failed(8);
            Assert.False(File.Exists(PathOf("a")));
        }

        byte[] fits = Frames.Field(1, new byte[99_000]);
        byte[] taken = Frames.Join(Frames.Head("a"), packed ? UploadTests.Packed(fits) : Frames.Of(fits), Frames.End(99_000));
        (await CallAsync("Upload", taken, ("grpc-encoding", "gzip"))).Only(Messages.UploadStatus.Parser);
    }

    [Theory, InlineData("0n"), InlineData("1n"), InlineData("1u")]
    public async Task Expired_deadline_is_reported(string timeout)
    {
        var never = new TaskCompletionSource();
        using var content = new StreamedContent(Frames.Head("a"), never.Task);
        HttpRequestMessage request = Request(GrpcForm.Http2, "Upload", content, ("grpc-timeout", timeout));
        GrpcReply reply = await SendAsync(GrpcForm.Http2, request).Soon();
        never.SetResult();
        reply.Failed(4);
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
    }

    [Fact]
    public async Task Deadline_during_sending_ends_the_call()
    {
        var never = new TaskCompletionSource();
        using var content = new StreamedContent(Frames.Join(Frames.Head("a"), Frames.Data(new byte[100_000])), never.Task);
        HttpRequestMessage request = Request(GrpcForm.Http2, "Upload", content, ("grpc-timeout", "300m"));
        (await SendAsync(GrpcForm.Http2, request).Soon()).Failed(4);
        never.SetResult();
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
        Assert.False(File.Exists(PathOf("a")));
        Assert.Empty(Leftovers());
    }

    [Theory, EveryForm]
    public async Task Unread_download_ends_at_its_deadline_and_reports_it_after_the_sent_bytes(string name)
    {
        GrpcForm form = FormOf(name);
        Put("a", Content.Of(64_000_000));
        GrpcReply reply;
        int seconds = 1;
        do
        {
            using HttpRequestMessage request = Request(form, "Download", Frames.Download("a"), ("grpc-timeout", $"{seconds}S"));
            using HttpResponseMessage response = await Http2.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).Soon();
            await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
            reply = await GrpcReply.ReadAsync(response, form).Soon();
            Assert.Equal(4, reply.Status);

            // A busy machine may send nothing in a second.
            seconds *= 2;
        }
        while (reply.Messages.Count == 0 && seconds < Bounded.Patience.TotalSeconds);

        Assert.InRange(reply.Messages.Count, 1, 64_000_000 / (100 * 1024));
    }

    [Theory]
    [InlineData("99999999H", 0)]
    [InlineData("60S", 0)]
    [InlineData("soon", 13)]
    [InlineData("5", 13)]
    public async Task Times_are_those_of_gRPC(string timeout, int status)
    {
        Put("a", []);
        Assert.Equal(status, (await CallAsync("Stat", Stat, ("grpc-timeout", timeout))).Status);
    }

    [Fact]
    public async Task Refusal_reaches_a_client_that_still_sends()
    {
        var told = new TaskCompletionSource();
        using var content = new StreamedContent(async stream =>
        {
            try
            {
                await stream.WriteAsync(Frames.Head("../a"));
                byte[] data = Frames.Data(new byte[100_000]);
                while (!told.Task.IsCompleted)
                {
                    await stream.WriteAsync(data);
                    await stream.FlushAsync();
                }
            }
            catch (Exception exception) when (exception is IOException or OperationCanceledException)
            {
                // The server wants no more of it.
            }
        });
        GrpcReply reply = await SendAsync(GrpcForm.Http2, Request(GrpcForm.Http2, "Upload", content)).Soon();
        told.SetResult();
        reply.Failed(3, TransferError.InvalidName);
    }

    [Fact]
    public async Task Responses_name_the_accepted_encodings()
    {
        Put("a", []);
        GrpcReply reply = await CallAsync("Stat", Stat);
        Assert.Equal("identity,gzip", reply.Headers["grpc-accept-encoding"]);
        Assert.Equal("application/grpc", reply.Headers["Content-Type"]);
        Assert.Equal("0", reply.Trailers["grpc-status"]);
        Assert.False(reply.IsTrailersOnly);
    }

    [Fact]
    public async Task Invalid_base64_is_an_internal_error()
    {
        using var content = new ByteArrayContent(Encoding.ASCII.GetBytes("####"));
        (await SendAsync(GrpcForm.WebText, Request(GrpcForm.WebText, "Stat", content))).Failed(13);
        using var cut = new ByteArrayContent(Encoding.ASCII.GetBytes(Convert.ToBase64String(Stat)[..^3]));
        (await SendAsync(GrpcForm.WebText, Request(GrpcForm.WebText, "Stat", cut))).Failed(13);
    }

    [Fact]
    public async Task Text_may_be_broken_into_lines()
    {
        byte[] content = Content.Of(1000);
        string text = Convert.ToBase64String(Frames.Upload("a", content, 100));
        using var body = new ByteArrayContent(Encoding.ASCII.GetBytes(string.Join("\r\n", text.Chunk(63).Select(static line => new string(line)))));
        (await SendAsync(GrpcForm.WebText, Request(GrpcForm.WebText, "Upload", body))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(content, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Theory, InlineData(1), InlineData(2), InlineData(7)]
    public async Task Text_may_be_padded_anywhere(int bytes)
    {
        byte[] content = Content.Of(1000);
        string text = string.Concat(Frames.Upload("a", content, 100).Chunk(bytes).Select(Convert.ToBase64String));
        using var body = new ByteArrayContent(Encoding.ASCII.GetBytes(text));
        (await SendAsync(GrpcForm.WebText, Request(GrpcForm.WebText, "Upload", body))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(content, await File.ReadAllBytesAsync(PathOf("a")));
    }
}
