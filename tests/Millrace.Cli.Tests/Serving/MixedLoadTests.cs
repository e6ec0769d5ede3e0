using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` under everything at once: three seconds of it, and ten minutes of it when soaking.</summary>
[Trait("Tier", "Soak")]
public sealed class MixedLoadTests : CommandTests
{
    private const int MB = 1_000_000;

    private static readonly TimeSpan Length = TimeSpan.FromSeconds(Soak.Times(3, 600));

    private readonly Stopwatch _watch = new();
    private byte[] _large = [];

    public MixedLoadTests() => IsHosted = false;

    private bool Goes => _watch.Elapsed < Length;

    [NeedsFact(Need.LoadTools)]
    public async Task Server_survives_everything_at_once_and_keeps_nothing_of_it()
    {
        _large = Write("files/large", 20 * MB);
        byte[] small = Write("files/small", 1024);
        using ServedCommand serve = await ServeAsync("files", "--max-transfers", "1000");
        using (HttpResponseMessage first = await serve.Client.GetAsync("files/small"))
        {
            Assert.Equal(small, await first.Content.ReadAsByteArrayAsync());
        }

        int handles = serve.OpenHandles;
        _watch.Start();
        await Task.WhenAll(
        [
            .. Enumerable.Range(0, 3).Select(index => ReplaceAsync(serve, index, HttpVersion.Version11)),
            .. Enumerable.Range(3, 3).Select(index => ReplaceAsync(serve, index, HttpVersion.Version20)),
            GetRangesAsync(serve),
            ListAsync(serve),
            AbortAsync(serve),
            HalfCloseAsync(serve),
            UseCommandsAsync(serve),
            LoadAsync("wrk", ["-t1", "-c20", "-d1s", serve.Files + "small"], "requests in", "Non-2xx"),
            LoadAsync("h2load", ["-n", "500", "-c", "10", "-m", "5", "-t", "1", serve.Files + "small"], "500 2xx", "nothing"),
            LoadAsync("hey", ["-n", "500", "-c", "10", serve.Files + "small"], "[200]\t500 responses", "Error"),
        ]);

        // What clients that went away had open ends with them.
        await Bounded.UntilAsync(() => serve.OpenHandles < handles + 20);
        await Bounded.UntilAsync(() => serve.MemoryOf("RssAnon") < 250 * MB);
        Assert.Empty(Directory.GetFiles(Folder["files"], ".millrace-*"));
        serve.Signal(Command.Terminate);
        (int exitCode, string error) = await serve.EndAsync();
        Assert.True(exitCode == 0, error);
        Assert.DoesNotContain("Exception", error, StringComparison.Ordinal);
    }

    /// <summary>Replaces a file again and again, and reads it back.</summary>
    private async Task ReplaceAsync(ServedCommand serve, int index, Version version)
    {
        var random = new Random(index);
        string name = $"files/{index}";
        while (Goes)
        {
            byte[] content = new byte[random.Next(3 * MB)];
            random.NextBytes(content);
            using HttpResponseMessage put = await SendAsync(serve, HttpMethod.Put, name, version, new ByteArrayContent(content));
            Assert.True(put.IsSuccessStatusCode, $"{put.StatusCode} {await put.Content.ReadAsStringAsync()}");
            using HttpResponseMessage get = await SendAsync(serve, HttpMethod.Get, name, version);
            Assert.Equal(content, await get.Content.ReadAsByteArrayAsync());
        }
    }

    private async Task GetRangesAsync(ServedCommand serve)
    {
        var random = new Random(1);
        while (Goes)
        {
            int from = random.Next(_large.Length);
            int to = random.Next(from, _large.Length);
            using var request = new HttpRequestMessage(HttpMethod.Get, "files/large") { Headers = { Range = new RangeHeaderValue(from, to) } };
            using HttpResponseMessage answer = await serve.Client.SendAsync(request);
            Assert.Equal(HttpStatusCode.PartialContent, answer.StatusCode);
            byte[] part = await answer.Content.ReadAsByteArrayAsync();
            Assert.True(_large.AsSpan(from, to - from + 1).SequenceEqual(part));
        }
    }

    private async Task ListAsync(ServedCommand serve)
    {
        while (Goes)
        {
            Assert.Contains("large", await serve.Client.GetStringAsync("files/"), StringComparison.Ordinal);
            Assert.NotEmpty(await serve.Client.GetByteArrayAsync("files/?archive=tar"));
        }
    }

    /// <summary>Goes away in the middle of downloads and uploads.</summary>
    private async Task AbortAsync(ServedCommand serve)
    {
        byte[] block = new byte[100_000];
        for (int i = 0; Goes; i++)
        {
            using TcpClient client = await ConnectAsync(serve);
            string head = i % 2 == 0 ? "GET /files/large HTTP/1.1\r\n" : $"PUT /files/aborted HTTP/1.1\r\nContent-Length: {_large.Length}\r\n";
            await client.Client.SendAsync(Encoding.ASCII.GetBytes(head + "Host: localhost\r\n\r\n"));
            if (i % 2 == 0)
            {
                await client.Client.ReceiveAsync(block);
            }
            else
            {
                await client.Client.SendAsync(block);
            }

            // With a time of 0, the end is a reset.
            client.LingerState = new LingerOption(enable: i % 3 == 0, seconds: 0);
        }
    }

    /// <summary>Says that it sends no more. To Kestrel that client has gone: what still comes is a part of the file, and nothing else.</summary>
    private async Task HalfCloseAsync(ServedCommand serve)
    {
        while (Goes)
        {
            using TcpClient client = await ConnectAsync(serve);
            NetworkStream stream = client.GetStream();
            await client.Client.SendAsync("GET /files/large HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray());
            client.Client.Shutdown(SocketShutdown.Send);
            byte[] answer = await ReadAsync(stream);
            int head = answer.AsSpan().IndexOf("\r\n\r\n"u8) + 4;
            Assert.True(head < 4 || _large.AsSpan().StartsWith(answer.AsSpan(head)));
        }
    }

    private static async Task<byte[]> ReadAsync(NetworkStream stream)
    {
        using var all = new MemoryStream();
        try
        {
            await stream.CopyToAsync(all).Soon();
        }
        catch (IOException)
        {
            // It was ended with a reset.
        }

        return all.ToArray();
    }

    private async Task UseCommandsAsync(ServedCommand serve)
    {
        byte[] content = Write("local", 5 * MB);
        string[] protocols = ["http1", "http2", "tus", "grpc", "grpc-web"];
        for (int i = 0; Goes; i++)
        {
            string protocol = protocols[i % protocols.Length];
            await SucceedAsync("put", "local", serve.Files + protocol, "--via", protocol);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["files/" + protocol]));
            await SucceedAsync("get", serve.Files + protocol, "back", "--via", protocol == "tus" ? "http1" : protocol);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
        }
    }

    private async Task LoadAsync(string program, string[] arguments, string expected, string unexpected)
    {
        while (Goes)
        {
            string output = await Task.Run(() => Shell.Run(program, arguments));
            Assert.Contains(expected, output, StringComparison.Ordinal);
            Assert.DoesNotContain(unexpected, output, StringComparison.Ordinal);
        }
    }

    private static async Task<HttpResponseMessage> SendAsync(
        ServedCommand serve, HttpMethod method, string name, Version version, HttpContent? content = null)
    {
        string address = version == HttpVersion.Version20 ? serve.Ready.GetProperty("http2").GetString()! : serve.Client.BaseAddress!.AbsoluteUri;
        using var request = new HttpRequestMessage(method, new Uri(new Uri(address), name))
        {
            Content = content,
            Version = version,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        return await serve.Client.SendAsync(request);
    }

    private static async Task<TcpClient> ConnectAsync(ServedCommand serve)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, serve.Port);
        return client;
    }
}
