using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve`, as a process.</summary>
public sealed class ServeTests : CommandTests
{
    [Fact]
    public async Task Folder_is_served_and_accepts_files()
    {
        await File.WriteAllTextAsync(Folder["one.txt"], "one");
        using ServedCommand serve = await ServedCommand.StartAsync(this);

        Assert.Equal("one", await serve.Client.GetStringAsync(serve.Ready.GetProperty("files").GetString() + "one.txt"));
        using HttpResponseMessage put = await serve.Client.PutAsync("files/two.txt", new StringContent("two"));
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal("two", await File.ReadAllTextAsync(Folder["two.txt"]));
        Assert.Equal(Folder.Path, serve.Ready.GetProperty("folder").GetString());
        Assert.False(serve.Ready.GetProperty("needsToken").GetBoolean());
    }

    [Theory]
    [InlineData("--max-uploads")]
    [InlineData("--max-uploads-total")]
    public async Task Uploads_over_the_limit_are_refused_until_one_is_finished(string option)
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, option, "1");

        using HttpResponseMessage first = await StartUploadAsync(serve);
        using HttpResponseMessage second = await StartUploadAsync(serve);
        Assert.Equal((HttpStatusCode.Created, HttpStatusCode.TooManyRequests), (first.StatusCode, second.StatusCode));
        Assert.True(second.Headers.RetryAfter?.Delta > TimeSpan.Zero);

        using var end = new HttpRequestMessage(HttpMethod.Delete, first.Headers.Location);
        end.Headers.Add("Tus-Resumable", "1.0.0");
        using HttpResponseMessage ended = await serve.Client.SendAsync(end);
        using HttpResponseMessage third = await StartUploadAsync(serve);
        Assert.Equal(HttpStatusCode.Created, third.StatusCode);
    }

    private static async Task<HttpResponseMessage> StartUploadAsync(ServedCommand serve)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/uploads");
        request.Headers.Add("Tus-Resumable", "1.0.0");
        request.Headers.Add("Upload-Length", "5");
        request.Headers.Add("Upload-Metadata", "filename YQ==");
        return await serve.Client.SendAsync(request);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(Command.Interrupt)]
    [InlineData(Command.Terminate)]
    public async Task Signal_stops_the_server_without_losing_a_transfer(int signal)
    {
        IsHosted = false;
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        serve.Signal(signal);
        (int exitCode, string error) = await serve.EndAsync();
        Assert.True(exitCode == 0, error);
    }

    [NeedsFact(Need.Unix)]
    public async Task Second_signal_cuts_running_transfers()
    {
        IsHosted = false;
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--grace", "1h");
        using var upload = new TcpClient();
        await upload.ConnectAsync(IPAddress.Loopback, serve.Client.BaseAddress!.Port);
        await upload.GetStream().WriteAsync(
            Encoding.ASCII.GetBytes("PUT /files/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nha"));

        // The server asks for the body when the transfer has begun.
        byte[] answer = new byte[25];
        await upload.GetStream().ReadExactlyAsync(answer);
        Assert.StartsWith("HTTP/1.1 100 ", Encoding.ASCII.GetString(answer), StringComparison.Ordinal);
        serve.Signal(Command.Interrupt);
        serve.Signal(Command.Terminate);

        (int exitCode, string error) = await serve.EndAsync();
        Assert.True(exitCode == 130, error);
        Assert.Contains("1 transfer cut", error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(Folder.Path));
    }

    [NeedsFact(Need.Unix)]
    public async Task The_log_is_json_and_has_no_query()
    {
        IsHosted = false;
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        using HttpResponseMessage put = await serve.Client.PutAsync("files/two.txt?secret=1", new StringContent("two"));
        serve.Signal(Command.Terminate);
        (_, string error) = await serve.EndAsync();

        Assert.Contains("PUT two.txt: completed, 201, 3 bytes", error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Every_line_of_the_json_log_has_its_time()
    {
        DateTimeOffset before = DateTimeOffset.UtcNow.AddSeconds(-1);
        IsHosted = false;
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        using HttpResponseMessage put = await serve.Client.PutAsync("files/two.txt", new StringContent("two"));
        serve.Signal(Command.Terminate);
        (_, string error) = await serve.EndAsync();

        IReadOnlyList<JsonElement> lines = Lines(error);
        Assert.NotEmpty(lines);
        Assert.All(lines, line => Assert.InRange(line.GetProperty("Timestamp").GetDateTimeOffset(), before, DateTimeOffset.UtcNow));
    }

    [Fact]
    public async Task A_missing_folder_is_named_with_how_to_create_it()
    {
        string error = await FailAsync("serve", "missing", "--port", "0");
        Assert.Equal(
            "millrace serve: Folder 'missing' does not exist. Create it with 'mkdir -p missing', or name another.", error.TrimEnd());
    }

    [Fact]
    public async Task A_taken_port_is_named_with_what_to_do()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        string error = await FailAsync("serve", "--port", $"{((IPEndPoint)taken.LocalEndpoint).Port}");
        Assert.Contains("is taken by another program", error, StringComparison.Ordinal);
        Assert.Contains("--port 0", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Remote_access_needs_a_token_or_insecure()
    {
        string error = await FailAsync("serve", "--host", "0.0.0.0", "--port", "0");
        Assert.Contains("millrace token add", error, StringComparison.Ordinal);
        Assert.Contains("--insecure", error, StringComparison.Ordinal);

        using ServedCommand serve = await ServedCommand.StartAsync(this, "--host", "0.0.0.0", "--insecure");
        Assert.False(serve.Ready.GetProperty("needsToken").GetBoolean());
    }

    [Theory]
    [InlineData("--port", "70000")]
    [InlineData("--h2-port", "x")]
    [InlineData("--max-file", "much")]
    [InlineData("--max-request", "1K")]
    [InlineData("--grace", "soon")]
    [InlineData("--max-transfers", "0")]
    [InlineData("--max-uploads", "0")]
    [InlineData("--max-uploads-total", "-1")]
    [InlineData("--max-buffered", "15M")]
    public async Task Wrong_values_are_named(string option, string value)
    {
        string error = await FailAsync("serve", option, value);
        Assert.Contains($"{option}: '{value}'", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_above_the_limit_is_rejected()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--max-file", "1K");
        using HttpResponseMessage large = await serve.Client.PutAsync("files/a", new ByteArrayContent(new byte[1025]));
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, large.StatusCode);
        using HttpResponseMessage small = await serve.Client.PutAsync("files/a", new ByteArrayContent(new byte[1024]));
        Assert.Equal(HttpStatusCode.Created, small.StatusCode);
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Broken_upload_is_answered_by_its_own_protocol(bool tus)
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        using var create = new HttpRequestMessage(tus ? HttpMethod.Post : HttpMethod.Put, tus ? "uploads" : "files/a");
        create.Headers.Add("Upload-Length", "100");
        create.Headers.Add(tus ? "Tus-Resumable" : "Upload-Complete", tus ? "1.0.0" : "?0");
        create.Headers.Add("Upload-Metadata", "filename YQ==");
        using HttpResponseMessage created = await serve.Client.SendAsync(create);
        string url = created.Headers.Location!.OriginalString;
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, serve.Port);
        string fields = tus
            ? "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n"
            : "Upload-Complete: ?0\r\nContent-Type: application/partial-upload\r\n";
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(
            $"PATCH {url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUpload-Offset: 0\r\n{fields}"
            + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
        var received = new FileInfo(Folder[$".millrace/uploads/{url.Split('/')[^1]}/data"]);
        await Bounded.UntilAsync(() =>
        {
            received.Refresh();
            return received is { Exists: true, Length: 5 };
        });

        await client.GetStream().WriteAsync("ZZ\r\n"u8.ToArray());
        using var reader = new StreamReader(client.GetStream());
        string answer = await reader.ReadToEndAsync();

        Assert.StartsWith("HTTP/1.1 400 ", answer, StringComparison.Ordinal);
        Assert.Contains("\r\nUpload-Offset: 5\r\n", answer, StringComparison.Ordinal);
        Assert.Equal(tus, answer.Contains("\r\nTus-Resumable: 1.0.0\r\n", StringComparison.Ordinal));
        Assert.Contains("has 5 bytes; continue there", answer, StringComparison.Ordinal);
    }
}
