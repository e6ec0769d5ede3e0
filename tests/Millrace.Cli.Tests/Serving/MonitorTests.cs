using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;

namespace Millrace.Cli.Tests.Serving;

/// <summary>What `millrace serve` offers to those who watch over it: metrics, the access log, and priorities in the journal.</summary>
public sealed class MonitorTests : CommandTests
{
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromMinutes(2) };

    [Fact]
    public async Task Metrics_have_the_transfers_and_are_for_this_machine()
    {
        Write("served/five.bin", 5);
        using ServedCommand server = await ServeAsync("served", "--metrics", "0");
        string url = server.Ready.GetProperty("metrics").GetString()!;
        Assert.Equal(5, (await server.Client.GetByteArrayAsync(server.Files + "five.bin")).Length);

        string text = "";
        await Bounded.UntilAsync(async () =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, url);
            request.Headers.Accept.Add(MediaTypeWithQualityHeaderValue.Parse("application/openmetrics-text; version=1.0.0"));
            using HttpResponseMessage response = await Client.SendAsync(request);
            Assert.Equal("application/openmetrics-text", response.Content.Headers.ContentType!.MediaType);
            text = await response.Content.ReadAsStringAsync();

            // Counted last, so that the bytes are there, too.
            return text.Contains("millrace_transfer_duration_seconds_count", StringComparison.Ordinal);
        });
        Assert.Matches("(?m)^millrace_transfer_io_bytes_total\\{.*transmit.*\\} 5$", text);
        Assert.EndsWith("# EOF\n", text, StringComparison.Ordinal);

        // Neither is at the other's address.
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync("/metrics")).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync(new Uri(new Uri(url), "/files/five.bin"))).StatusCode);
        using var rebound = new HttpRequestMessage(HttpMethod.Get, url) { Headers = { Host = "evil.example.org" } };
        Assert.Equal(HttpStatusCode.MisdirectedRequest, (await Client.SendAsync(rebound)).StatusCode);
    }

    [Fact]
    public async Task Metrics_for_other_machines_need_a_token()
    {
        Folder.Write("token", "mr_metrics\n"u8.ToArray());
        Assert.Contains("--metrics-token-file", await FailAsync("serve", "--metrics", "*:0"), StringComparison.Ordinal);
        Assert.Contains("--metrics", await FailAsync("serve", "--metrics-token-file", "token"), StringComparison.Ordinal);
        Assert.Contains("'localhost'", await FailAsync("serve", "--metrics", "localhost"), StringComparison.Ordinal);
        using ServedCommand server = await ServeAsync("served", "--metrics", "*:0", "--metrics-token-file", "token");
        var url = new Uri($"http://127.0.0.1:{new Uri(server.Ready.GetProperty("metrics").GetString()!).Port}/metrics");

        foreach ((string? sent, HttpStatusCode expected) in ((string?, HttpStatusCode)[])
            [(null, HttpStatusCode.Unauthorized), ("mr_metric", HttpStatusCode.Unauthorized), ("mr_metrics", HttpStatusCode.OK)])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, url);
            request.Headers.Authorization = sent is null ? null : new AuthenticationHeaderValue("Bearer", sent);
            Assert.Equal(expected, (await Client.SendAsync(request)).StatusCode);
        }
    }

    [Fact]
    public async Task Taken_port_of_metrics_stops_the_start()
    {
        using ServedCommand server = await ServeAsync("served", "--metrics", "0");
        string port = $"{new Uri(server.Ready.GetProperty("metrics").GetString()!).Port}";

        Directory.CreateDirectory(Folder["other"]);
        Assert.Contains("in use", await FailAsync("serve", "other", "--port", "0", "--h2-port", "none", "--metrics", port), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Access_log_has_a_line_per_request_without_queries_and_can_be_rotated()
    {
        IsHosted = false;
        Write("served/a b.bin", 5);
        using ServedCommand server = await ServeAsync("served", "--access-log", Folder["access.log"]);

        using var request = new HttpRequestMessage(HttpMethod.Get, server.Files + "a%20b.bin?mr-signature=secret");
        request.Headers.TryAddWithoutValidation("User-Agent", "agent \"x\" \\");
        request.Headers.TryAddWithoutValidation("Referer", "http://h/page?secret=1");
        (await server.Client.SendAsync(request)).Dispose();
        await Bounded.UntilAsync(() => new FileInfo(Folder["access.log"]).Length > 0);
        string line = Assert.Single(await File.ReadAllLinesAsync(Folder["access.log"]));
        Assert.Matches(
            "^127\\.0\\.0\\.1 - - \\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000\\] \"GET /files/a%20b\\.bin HTTP/1\\.1\" \\d{3} \\d+ \"http://h/page\" \"agent \\\\\"x\\\\\" \\\\\\\\\"$",
            line);

        File.Move(Folder["access.log"], Folder["access.log.1"]);
        Assert.Equal(5, (await server.Client.GetByteArrayAsync(server.Files + "a%20b.bin")).Length);
        await Bounded.UntilAsync(() => File.Exists(Folder["access.log"]) && new FileInfo(Folder["access.log"]).Length > 0);
        Assert.Contains("\" 200 5 \"-\" \"-\"", Assert.Single(await File.ReadAllLinesAsync(Folder["access.log"])), StringComparison.Ordinal);

        // Lines that are still gathered are written when the server stops.
        await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => server.Client.GetByteArrayAsync(server.Files + "a%20b.bin")));
        server.Signal(Command.Terminate);
        await server.EndAsync();
        Assert.Equal(201, (await File.ReadAllLinesAsync(Folder["access.log"])).Length);
    }

    [Fact]
    public async Task Access_log_that_cannot_be_written_stops_the_start()
    {
        Directory.CreateDirectory(Folder["served"]);

        Assert.Contains("The access log cannot be written", await FailAsync("serve", "served", "--access-log", Folder["missing/access.log"]), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Trace)]
    public async Task Lines_for_the_journal_begin_with_their_priority()
    {
        Directory.CreateDirectory(Folder["served"]);
        ProcessStartInfo serve = Command.Prepare(Folder.Path, "serve", "served", "--port", "0", "--host-name", "only.example.org", "--quiet", "--json");
        const string Program = """
            import os, socket, subprocess, sys, json, urllib.request, signal
            ours, theirs = socket.socketpair()
            facts = os.fstat(theirs.fileno())
            os.environ["JOURNAL_STREAM"] = f"{facts.st_dev}:{facts.st_ino}"
            server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=theirs)
            ready = json.loads(server.stdout.readline())
            request = urllib.request.Request(ready["files"], headers={"Host": "evil.example.org"})
            try: urllib.request.urlopen(request)
            except urllib.error.HTTPError: pass
            print(ours.recv(4096).decode())
            server.terminate()
            server.wait()
            """;
        var start = new ProcessStartInfo("python3") { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = Folder.Path };
        foreach (string argument in (string[])["-c", Program, serve.FileName, .. serve.ArgumentList])
        {
            start.ArgumentList.Add(argument);
        }

        (_, string output, string error) = await EndAsync(Process.Start(start)!);
        Assert.True(output.StartsWith("<4>{", StringComparison.Ordinal), output + error);
    }
}
