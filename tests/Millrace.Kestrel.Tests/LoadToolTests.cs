using System.Globalization;
using Millrace.Kestrel.Interop;

namespace Millrace.Kestrel.Tests;

/// <summary>Programs that others wrote send many requests at once, or slow ones.</summary>
[Collection(nameof(SocketSend.FileCalls))]
public sealed class LoadToolTests : FolderTests
{
    private const string Text = "text";
    private static readonly int Requests = Soak.Times(2_000, 200_000);

    private readonly byte[] _content = Content.Random(200_001);

    public LoadToolTests() => Folder.Write("file.bin", _content);

    [NeedsTheory(Need.LoadTools)]
    [InlineData("/text", "--h1")]
    [InlineData("/text", "-m", "10")]
    [InlineData("/file.bin", "--h1")]
    [InlineData("/file.bin", "-m", "10")]
    public async Task H2load_has_every_request_answered(string path, params string[] options)
    {
        await using TestHost host = await StartAsync();
        string count = Requests.ToString(CultureInfo.InvariantCulture);
        string output = await RunAsync("h2load", ["-n", count, "-c", "50", "-t", "1", .. options, new Uri(host.Address, path).AbsoluteUri]);
        Assert.Contains($"{count} succeeded, 0 failed, 0 errored, 0 timeout", output, StringComparison.Ordinal);
        Assert.Contains($"status codes: {count} 2xx", output, StringComparison.Ordinal);
        Assert.Empty(host.Errors);
    }

    [NeedsTheory(Need.LoadTools)]
    [InlineData("--h1")]
    [InlineData("-m", "10")]
    public async Task H2load_uploads_arrive_whole(params string[] options)
    {
        await using TestHost host = await StartAsync();
        string output = await RunAsync(
            "h2load", ["-n", "200", "-c", "10", "-t", "1", "-d", Folder["file.bin"], .. options, new Uri(host.Address, "/length").AbsoluteUri]);
        Assert.Contains("200 succeeded, 0 failed, 0 errored, 0 timeout", output, StringComparison.Ordinal);

        // The application answers any other length with an error.
        Assert.Contains("status codes: 200 2xx", output, StringComparison.Ordinal);
        Assert.Empty(host.Errors);
    }

    [NeedsTheory(Need.LoadTools)]
    [InlineData(1)]
    [InlineData(16)]
    public async Task Wrk_has_pipelined_requests_answered(int pipelined)
    {
        await using TestHost host = await StartAsync();
        string script = Folder["pipeline.lua"];
        await File.WriteAllTextAsync(script, $$"""
            init = function(args)
              local all = {}
              for i = 1, {{pipelined}} do all[i] = wrk.format("GET", i % 2 == 0 and "/text" or "/file.bin") end
              together = table.concat(all)
            end
            request = function() return together end
            """);
        string output = await RunAsync("wrk", ["-t1", "-c20", "--timeout", "60s", $"-d{Soak.Times(1, 30)}s", "-s", script, host.Address.AbsoluteUri]);
        Assert.Contains("requests in", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Socket errors", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Non-2xx", output, StringComparison.Ordinal);
        Assert.Empty(host.Errors);
    }

    [NeedsTheory(Need.LoadTools)]
    [InlineData("/text")]
    [InlineData("/file.bin")]
    [InlineData("/text", "-disable-keepalive")]
    [InlineData("/length", "-m", "POST", "-D", "file.bin")]
    public async Task Hey_has_every_request_answered(string path, params string[] options)
    {
        await using TestHost host = await StartAsync();
        string count = Requests.ToString(CultureInfo.InvariantCulture);
        options = [.. options.Select(option => option == "file.bin" ? Folder[option] : option)];
        string output = await RunAsync("hey", ["-n", count, "-c", "50", .. options, new Uri(host.Address, path).AbsoluteUri]);
        Assert.Contains($"[200]\t{count} responses", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Error distribution", output, StringComparison.Ordinal);
        Assert.Empty(host.Errors);
    }

    [NeedsFact(Need.LoadTools)]
    public async Task Nghttp_has_several_files_on_one_connection()
    {
        await using TestHost host = await StartAsync();
        string file = new Uri(host.Address, "/file.bin").AbsoluteUri;
        string output = await RunAsync("nghttp", ["-n", "-v", .. Enumerable.Repeat(file, 5).Select((uri, index) => $"{uri}?{index}")]);
        Assert.Equal(5, output.Split(":status: 200").Length - 1);
        Assert.Equal(5, output.Split("content-length: 200001").Length - 1);
        Assert.Empty(host.Errors);
    }

    [NeedsFact(Need.LoadTools)]
    public async Task Slow_clients_do_not_keep_others_from_being_served()
    {
        await using TestHost host = await StartAsync();
        string seconds = Soak.Times(10, 60).ToString(CultureInfo.InvariantCulture);
        string[] common = ["-c", "300", "-r", "300", "-i", "1", "-l", seconds, "-x", "10", "-p", "2"];
        Task<string>[] attacks =
        [
            RunAsync("slowhttptest", ["-H", .. common, "-u", new Uri(host.Address, "/text").AbsoluteUri]),
            RunAsync("slowhttptest", ["-B", .. common, "-u", new Uri(host.Address, "/length").AbsoluteUri]),
            RunAsync("slowhttptest", ["-X", .. common, "-w", "10", "-y", "20", "-n", "1", "-z", "32", "-u", new Uri(host.Address, "/file.bin").AbsoluteUri]),
        ];
        using var client = new HttpClient { BaseAddress = host.Address };
        int served = 0;
        do
        {
            Assert.Equal(Text, await client.GetStringAsync("/text").Soon());
            Assert.Equal(_content, await client.GetByteArrayAsync("/file.bin").Soon());
            served++;
        }
        while (!Task.WhenAll(attacks).IsCompleted);

        // As many as a patient person: a server that slow clients hold up answers none.
        Assert.InRange(served, 2, int.MaxValue);
        foreach (Task<string> attack in attacks)
        {
            Assert.Contains("Exit status", await attack, StringComparison.Ordinal);
        }
    }

    private Task<TestHost> StartAsync() => TestHost.StartAsync(
        app =>
        {
            app.UseStaticFiles(new StaticFileOptions { ServeUnknownFileTypes = true });
            app.UseRouting();
            app.MapGet("/text", static () => Text);
            app.MapPost("/length", async (HttpRequest request) =>
            {
                long length = 0;
                byte[] block = new byte[4096];
                while (await request.Body.ReadAsync(block) is var read and > 0)
                {
                    length += read;
                }

                return length == _content.Length ? Results.Ok() : Results.BadRequest();
            });
        },
        options => options.ListenWithHttp2PriorKnowledge(new IPEndPoint(IPAddress.Loopback, 0)),
        contentRoot: Folder.Path);

    private static Task<string> RunAsync(string program, string[] arguments) => Task.Run(() => Shell.Run(program, arguments));
}
