using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Millrace.Cli.Tests.Serving;

/// <summary>Bodies that are framed wrongly, against `millrace serve`: refused by their own protocol, and no fault in the log.</summary>
[Trait("Tier", "All")]
public sealed class MalformedRequestTests : CommandTests
{
    private const string Metadata = "Upload-Metadata: filename b25lLnR4dA==\r\n";

    public MalformedRequestTests() => IsHosted = false;

    [Fact]
    public async Task Chunk_size_that_is_no_number_or_too_large_gets_400()
    {
        using ServedCommand serve = await ServeAsync("served");
        foreach (string size in (string[])
            ["80000000", "ffffffff", "100000000", "7fffffffffffffff", "ffffffffffffffffff", "0x5", "+5", "-1", ""])
        {
            string body = $"3\r\none\r\n{size}\r\nhello\r\n0\r\n\r\n";
            foreach ((string head, string fields) in ((string, string)[])
            [
                ("PUT /files/one.txt", ""),
                ("PUT /files/one.txt", "Content-Encoding: gzip\r\n"),
                ("PUT /files/one.txt", "Upload-Complete: ?1\r\n"),
                ("POST /uploads", "Tus-Resumable: 1.0.0\r\nUpload-Length: 100\r\nContent-Type: application/offset+octet-stream\r\n" + Metadata),
                ("POST /millrace.v1.FileTransfer/Upload", "Content-Type: application/grpc-web\r\n"),
            ])
            {
                string answer = await ExchangeAsync(
                    serve.Port, $"{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n{fields}\r\n{body}");

                bool isGrpc = head.Contains("millrace", StringComparison.Ordinal);
                Assert.True(
                    isGrpc
                        ? answer.Contains("grpc-status: ", StringComparison.OrdinalIgnoreCase) && !answer.Contains("grpc-status: 0", StringComparison.OrdinalIgnoreCase)
                        : answer.StartsWith("HTTP/1.1 400 ", StringComparison.Ordinal),
                    $"'{size}', {head}, {fields}: {answer}");
                Assert.False(File.Exists(Folder["served/one.txt"]));
            }
        }

        await ThrowIfLoggedAsync(serve);
    }

    [Fact]
    public async Task Chunk_that_is_too_large_is_answered_by_the_protocol_of_the_upload()
    {
        using ServedCommand serve = await ServeAsync("served");
        string created = await ExchangeAsync(
            serve.Port, "POST /uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 100\r\n" + Metadata + "\r\n");
        string path = created.Split("Location: ")[1].Split("\r\n")[0];
        string answer = await ExchangeAsync(
            serve.Port,
            $"PATCH {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
            + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n80000000\r\nx");

        Assert.StartsWith("HTTP/1.1 400 ", answer, StringComparison.Ordinal);
        Assert.Contains("Tus-Resumable: 1.0.0", answer, StringComparison.Ordinal);
        string kept = Assert.Single(answer.Split("\r\n"), line => line.StartsWith("Upload-Offset: ", StringComparison.Ordinal));
        string asked = await ExchangeAsync(
            serve.Port, $"HEAD {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\n\r\n");
        Assert.Contains(kept, asked, StringComparison.Ordinal);
        await ThrowIfLoggedAsync(serve);
    }

    [Fact]
    public async Task Content_length_is_digits_and_nothing_else()
    {
        using ServedCommand serve = await ServeAsync("served");
        foreach ((string length, bool isValid) in ((string, bool)[])
        [
            ("+5", false), ("-5", false), ("-0", false), ("+0", false), ("0x5", false), ("5,5", false), ("5 5", false), ("", false),
            ("\u00b2", false), ("5\u000b", false), ("9223372036854775808", false), ("00000000000000000000000000000000000005", false),
            ("5\r\nContent-Length: +5", false), ("+5\r\nContent-Length: 5", false), ("5", true), ("05", true), (" 5 ", true),
        ])
        {
            string answer = await ExchangeAsync(
                serve.Port, $"PUT /files/one.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\nhello");

            Assert.True(answer.StartsWith(isValid ? "HTTP/1.1 201 " : "HTTP/1.1 400 ", StringComparison.Ordinal), $"'{length}': {answer}");
            Assert.Equal(isValid, File.Exists(Folder["served/one.txt"]));
            File.Delete(Folder["served/one.txt"]);
        }

        await ThrowIfLoggedAsync(serve);
    }

    [Fact]
    public async Task Body_with_two_ends_is_refused_and_nothing_after_it_is_read()
    {
        using ServedCommand serve = await ServeAsync("served");
        foreach ((string framing, bool isValid) in ((string, bool)[])
        [
            ("Transfer-Encoding: chunked\r\nContent-Length: 5", false), ("Content-Length: 5\r\nTransfer-Encoding: chunked", false),
            ("Transfer-Encoding: gzip, chunked", false), ("Transfer-Encoding: chunked, chunked", false),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", false), ("Transfer-Encoding: CHUNKED ", true),
        ])
        {
            foreach (string target in (string[])["PUT /files/one.txt", "GET /files/", "POST /millrace.v1.FileTransfer/Upload"])
            {
                string answer = await ExchangeAsync(
                    serve.Port,
                    $"{target} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                    + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

                Assert.Equal(isValid ? 3 : 2, answer.Split("HTTP/1.1 ").Length);
                Assert.True(isValid || answer.StartsWith("HTTP/1.1 400 ", StringComparison.Ordinal), $"{target}, {framing}: {answer}");
            }

            Assert.Equal(isValid, File.Exists(Folder["served/one.txt"]));
        }

        await ThrowIfLoggedAsync(serve);
    }

    [Fact]
    public async Task Chunked_body_over_HTTP_1_0_is_refused_and_nothing_after_it_is_read()
    {
        using ServedCommand serve = await ServeAsync("served");
        foreach (string target in (string[])["PUT /files/one.txt", "POST /uploads", "GET /files/", "POST /millrace.v1.FileTransfer/Upload"])
        {
            foreach (string field in (string[])["", "Connection: keep-alive\r\n", "Content-Length: 5\r\n"])
            {
                string answer = await ExchangeAsync(
                    serve.Port,
                    $"{target} HTTP/1.0\r\nHost: localhost\r\n{field}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                    + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

                Assert.True(answer.StartsWith("HTTP/1.1 400 ", StringComparison.Ordinal), $"{target}, {field}: {answer}");
                Assert.Equal(2, answer.Split("HTTP/1.1 ").Length);
                Assert.Contains("HTTP/1.0 has no Transfer-Encoding", answer, StringComparison.Ordinal);
            }
        }

        Assert.False(File.Exists(Folder["served/one.txt"]));
        await ThrowIfLoggedAsync(serve);
    }

    [Theory]
    [InlineData("Repr-Digest: sha-256=:\0:", 400)]
    [InlineData("Repr-Digest: sha-256=:\u00a5:", 400)]
    [InlineData("X: \u00c3", 201)]
    [InlineData("X: \0", 201)]
    [InlineData("X: a\rb", 400)]
    public async Task Trailer_that_is_no_text_is_no_fault_of_the_server(string trailer, int expected)
    {
        using ServedCommand serve = await ServeAsync("served");
        const string Fields = "Host: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n";
        string rest = $"\r\n3\r\none\r\n0\r\n{trailer}\r\n\r\n";
        string put = await ExchangeAsync(serve.Port, $"PUT /files/one.txt HTTP/1.1\r\n{Fields}{rest}");
        string get = await ExchangeAsync(serve.Port, $"GET /health HTTP/1.1\r\n{Fields}{rest}");
        string call = await ExchangeAsync(
            serve.Port, $"POST /millrace.v1.FileTransfer/Upload HTTP/1.1\r\n{Fields}Content-Type: application/grpc-web\r\n{rest}");

        Assert.StartsWith($"HTTP/1.1 {expected} ", put, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", get, StringComparison.Ordinal);
        Assert.Matches("(?i)grpc-status: ?[1-9]", call);
        await ThrowIfLoggedAsync(serve);
    }

    [Fact]
    public async Task Requests_that_are_reset_at_once_end_their_connection_and_are_no_fault_of_the_server()
    {
        File.WriteAllBytes(Path.Combine(Directory.CreateDirectory(Folder["served"]).FullName, "one.txt"), new byte[100_000]);
        using ServedCommand serve = await ServeAsync("served");
        for (int i = 0; i < 5; i++)
        {
            using RawHttp2 connection = await RawHttp2.OpenAsync(serve.Port);
            int stream = 1;
            while (await connection.RequestAsync(stream, "GET", "/files/one.txt", end: true)
                && await connection.SendAsync(new Http2Frame(RawHttp2.ResetStream, 0, stream, new byte[] { 0, 0, 0, 8 })))
            {
                stream += 2;
                Assert.True(stream < 1_000_000, "The server accepts any number of requests that are reset.");
            }
        }

        using (HttpResponseMessage get = await serve.Client.GetAsync("files/one.txt"))
        {
            Assert.Equal(HttpStatusCode.OK, get.StatusCode);
        }

        await ThrowIfLoggedAsync(serve);
    }

    [NeedsFact(Need.Native)]
    public async Task Put_onto_what_is_no_file_gets_409_and_leaves_it()
    {
        using ServedCommand serve = await ServeAsync("served");
        Shell.Run("mkfifo", Folder["served/fifo"]);
        File.CreateSymbolicLink(Folder["served/link"], "fifo");
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        ReplaceBySocket(socket, Folder["served/socket"]);
        foreach (string name in (string[])["fifo", "link", "socket"])
        {
            using HttpResponseMessage put = await serve.Client.PutAsync("files/" + name, new StringContent("new"));
            Assert.Equal(HttpStatusCode.Conflict, put.StatusCode);
            using var draft = new HttpRequestMessage(HttpMethod.Put, "files/" + name) { Content = new StringContent("new") };
            draft.Headers.Add("Upload-Complete", "?1");
            using HttpResponseMessage resumable = await serve.Client.SendAsync(draft);
            Assert.Equal(HttpStatusCode.Conflict, resumable.StatusCode);
            using HttpResponseMessage get = await serve.Client.GetAsync("files/" + name);
            Assert.Equal(HttpStatusCode.NotFound, get.StatusCode);
            Assert.Throws<FilePipeException>(() => FilePipe.Create(Folder["served/" + name]));
        }

        await ThrowIfLoggedAsync(serve);
    }

    /// <summary>The path of a socket is at most 107 bytes long, and that of a test's folder may be longer.</summary>
    private static void ReplaceBySocket(Socket socket, string path)
    {
        string shorter = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"));
        socket.Bind(new UnixDomainSocketEndPoint(shorter));
        File.Move(shorter, path);
    }

    private static async Task ThrowIfLoggedAsync(ServedCommand serve)
    {
        if (OperatingSystem.IsWindows())
        {
            await serve.KillAsync();
        }
        else
        {
            serve.Signal(Command.Terminate);
        }

        (_, string error) = await serve.EndAsync();
        Assert.DoesNotContain("Exception", error, StringComparison.Ordinal);
        Assert.DoesNotContain("\"Error\"", error, StringComparison.Ordinal);
        Assert.DoesNotContain("\"Critical\"", error, StringComparison.Ordinal);
    }

    private static async Task<string> ExchangeAsync(int port, string request)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port);
        NetworkStream stream = client.GetStream();
        await stream.WriteAsync(Encoding.Latin1.GetBytes(request));
        var answer = new StringBuilder();
        byte[] buffer = new byte[4096];
        try
        {
            int count;
            while ((count = await stream.ReadAsync(buffer).AsTask().WaitAsync(TimeSpan.FromMinutes(5))) > 0)
            {
                answer.Append(Encoding.Latin1.GetString(buffer, 0, count));
            }
        }
        catch (IOException)
        {
            // A server that did not read all of a wrong body resets the connection after its answer.
        }

        return answer.ToString();
    }
}
