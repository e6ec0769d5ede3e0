namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TakeOverTests : ServerTest
{
    private readonly byte[] _content = Content.Of(2_000_000);

    [Theory, InlineData("tus"), InlineData("draft")]
    public async Task HEAD_and_PATCH_take_over_from_a_silent_connection(string protocol)
    {
        string url = await Server.BeginAsync("a", _content.Length);
        using RawConnection dead = await HalfAsync(url, protocol);
        using HttpResponseMessage head = await HeadAsync(url, protocol);
        long offset = long.Parse(head.Field("Upload-Offset")!);
        Assert.InRange(offset, 1, 1_000_000);

        using HttpResponseMessage last = await AppendAsync(url, protocol, offset);
        Assert.True(last.IsSuccessStatusCode);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory, InlineData("tus"), InlineData("draft")]
    [NeedsLocalFolder]
    public async Task PATCH_that_sets_the_length_appends_and_completes_takes_its_upload_once(string protocol)
    {
        using HttpResponseMessage begun = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, "Upload-Defer-Length: 1", $"Upload-Metadata: filename {UploadServer.Base64("a")}");
        string url = begun.Headers.Location!.OriginalString;
        using HttpResponseMessage patched = protocol == "tus"
            ? await Server.PatchTusAsync(url, 0, _content, $"Upload-Length: {_content.Length}")
            : await Server.PatchDraftAsync(url, 0, _content, "?1", $"Upload-Length: {_content.Length}");

        Assert.True(patched.IsSuccessStatusCode);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Server.PathOf("a")));
        Assert.Equal(1, ((LocalFileStore)Server.Store).Core.Counts.Taken);
    }

    [Fact]
    public async Task Superseded_request_is_answered_and_its_connection_closed()
    {
        string url = await Server.BeginAsync("a", _content.Length);
        using RawConnection old = await HalfAsync(url, "tus");
        using HttpResponseMessage head = await HeadAsync(url, "tus");
        string answer = await old.ReadHeadAsync();
        Assert.StartsWith("HTTP/1.1 409", answer, StringComparison.Ordinal);
        Assert.Contains("Connection: close", answer, StringComparison.Ordinal);
    }

    [Theory, InlineData("tus"), InlineData("draft")]
    public async Task Superseded_request_leaves_no_error_in_the_log(string protocol)
    {
        string url = await Server.BeginAsync("a", _content.Length);
        using RawConnection old = await HalfAsync(url, protocol);
        using HttpResponseMessage head = await HeadAsync(url, protocol);
        await old.SendAsync(_content[1_000_000..]);

        Assert.StartsWith("HTTP/1.1 409", await old.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.DoesNotContain(Server.Complaints, static line => line.Contains("body", StringComparison.Ordinal));
    }

    [Fact]
    public async Task PATCH_takes_over_and_gets_the_offset()
    {
        string url = await Server.BeginAsync("a", _content.Length);
        using RawConnection dead = await HalfAsync(url, "tus");
        using HttpResponseMessage refused = await AppendAsync(url, "tus", 0);
        Assert.Equal(HttpStatusCode.Conflict, refused.StatusCode);
        long offset = long.Parse(refused.Field("Upload-Offset")!);
        await AppendAsync(url, "tus", offset).AnswersAsync(HttpStatusCode.NoContent);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task DELETE_stops_a_request_that_still_sends()
    {
        string url = await Server.BeginAsync("a", _content.Length);
        using RawConnection dead = await HalfAsync(url, "tus");
        await Server.TusAsync(HttpMethod.Delete, url).AnswersAsync(HttpStatusCode.NoContent);
        await HeadAsync(url, "tus").AnswersAsync(HttpStatusCode.NotFound);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Bytes_before_a_disconnect_are_kept(bool reset)
    {
        string url = await Server.BeginAsync("a", _content.Length);
        RawConnection cut = await HalfAsync(url, "tus");
        if (reset)
        {
            cut.Reset();
        }

        cut.Dispose();
        using HttpResponseMessage head = await HeadAsync(url, "tus");
        long offset = long.Parse(head.Field("Upload-Offset")!);
        Assert.InRange(offset, 1, 1_000_000);
        using HttpResponseMessage last = await AppendAsync(url, "tus", offset);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    /// <summary>Sends half of the file in a request for all of it, and waits until the server has some of that.</summary>
    private async Task<RawConnection> HalfAsync(string url, string protocol)
    {
        RawConnection connection = await RawConnection.OpenAsync(Server.Address);
        string fields = protocol == "tus"
            ? "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream"
            : "Upload-Complete: ?1\r\nContent-Type: application/partial-upload";
        await connection.SendAsync(
            $"PATCH {url} HTTP/1.1\r\nHost: x\r\nUpload-Offset: 0\r\nContent-Length: {_content.Length}\r\n{fields}\r\n\r\n");
        await connection.SendAsync(_content[..1_000_000]);
        await Server.ReceivedAsync(url, 1);
        return connection;
    }

    private Task<HttpResponseMessage> HeadAsync(string url, string protocol) => protocol == "tus"
        ? Server.TusAsync(HttpMethod.Head, url)
        : Server.DraftAsync(HttpMethod.Head, url);

    private Task<HttpResponseMessage> AppendAsync(string url, string protocol, long offset) => protocol == "tus"
        ? Server.PatchTusAsync(url, offset, _content[(int)offset..])
        : Server.DraftAsync(HttpMethod.Patch, url, _content[(int)offset..], $"Upload-Offset: {offset}", "Upload-Complete: ?1");
}
