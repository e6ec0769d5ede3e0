using System.Diagnostics;
using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve --max-file`, by which protocol a file ever comes.</summary>
public sealed class MaxFileTests : CommandTests
{
    [Fact]
    public async Task Limit_is_announced()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--max-file", "1K");

        foreach (string path in (string[])["uploads", "files/a"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Options, path);
            using HttpResponseMessage options = await serve.Client.SendAsync(request);
            Assert.Equal("max-size=1024", Assert.Single(options.Headers.GetValues("Upload-Limit")));
            options.Headers.TryGetValues("Tus-Max-Size", out IEnumerable<string>? size);
            Assert.Equal(path == "uploads" ? "1024" : null, size?.Single());
        }

        using JsonDocument description = JsonDocument.Parse(await serve.Client.GetStringAsync(".well-known/millrace"));
        Assert.Equal(1024, description.RootElement.GetProperty("maxFileBytes").GetInt64());
    }

    [Theory, InlineData(2000), InlineData(1_000_000)]
    public async Task File_of_exactly_the_limit_is_accepted_over_every_protocol(int limit)
    {
        byte[] content = Write("a", limit);
        using ServedCommand serve = await ServeAsync("served", "--max-file", $"{limit}");
        foreach (string via in (string[])["http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"])
        {
            await SucceedAsync("put", "a", serve.Files + via, "--via", via);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/" + via]));
        }

        // In a coding random bytes take more than they are.
        using var coded = new MemoryStream();
        await using (var gzip = new GZipStream(coded, CompressionLevel.Fastest, leaveOpen: true))
        {
            await gzip.WriteAsync(content);
        }

        Assert.InRange(coded.Length, limit + 1, long.MaxValue);
        using var body = new ByteArrayContent(coded.ToArray());
        body.Headers.ContentEncoding.Add("gzip");
        using HttpResponseMessage put = await serve.Client.PutAsync("files/gzip", body);
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
    }

    /// <summary>From a pipe: only the server finds out that it is too large.</summary>
    [Trait("Tier", "All")]
    [Theory, InlineData(2_000), InlineData(3_000_000)]
    public async Task Larger_file_of_unknown_length_is_refused_by_name_over_every_protocol(int length)
    {
        byte[] content = Write("a", length);
        using ServedCommand serve = await ServeAsync("served", "--max-file", $"{length - 1}");
        foreach (string via in (string[])["http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"])
        {
            Process put = Start(["put", "-", serve.Files + via, "--via", via, "--json"], input: true);
            Task<(int ExitCode, string Output, string Error)> ending = EndAsync(put);
            try
            {
                await put.StandardInput.BaseStream.WriteAsync(content);
                put.StandardInput.Close();
            }
            catch (IOException)
            {
                // It was refused before it had read all.
            }

            (int exitCode, string output, string error) = await ending;
            Assert.True(exitCode == 1, $"{via}: {output}{error}");
            Assert.Equal("TooLarge", Assert.Single(Lines(output)).GetProperty("error").GetString());
        }

        Assert.Empty(Digests("served"));
    }

    [Fact]
    public async Task Larger_file_is_refused_before_its_body_is_asked_for()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--max-file", "1K");
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, serve.Port);
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(
            "PUT /files/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 1025\r\n\r\n"));
        using var answer = new StreamReader(client.GetStream());

        Assert.StartsWith("HTTP/1.1 413 ", await answer.ReadLineAsync(), StringComparison.Ordinal);
    }
}
