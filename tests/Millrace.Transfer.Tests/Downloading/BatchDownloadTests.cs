using System.Diagnostics;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Http;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Downloading;

/// <summary>Small files that are downloaded at the same time.</summary>
public sealed class BatchDownloadTests : BatchTest
{
    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Http2)]
    public async Task Files_that_wait_come_in_one_request_and_have_the_results_of_a_request_each(TransferProtocol protocol)
    {
        string[] names = ["a", "d/empty", "d/e/é \"\\😀", "d/e/%41+&?#", "x"];
        for (int i = 0; i < names.Length; i++)
        {
            string path = Server.PathOf(names[i]);
            Server.Write(names[i], i == 1 ? 0 : 1000 * i, i);
            File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch.AddSeconds(1_500_000_000 + i));
            if (!OperatingSystem.IsWindows() && i == 2)
            {
                File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            }
        }

        var expected = new List<TransferResult>();
        using (TransferClient alone = Server.Connect(options => options.Protocol = protocol))
        {
            foreach (string name in names)
            {
                expected.Add(await alone.GetAsync(Clients.Name(name), Folder["alone"]));
            }
        }

        using TransferClient client = await HeldAsync(options => options.Protocol = protocol);
        TransferResult[] results = await TogetherAsync(client, names.Select((name, i) => Get(client, name, $"{i}", new GetOptions { Permissions = true })));

        Assert.Equal(1, Gate.Batches);
        Assert.Equal(expected, results);
        for (int i = 0; i < names.Length; i++)
        {
            Assert.Equal(await File.ReadAllBytesAsync(Server.PathOf(names[i])), await File.ReadAllBytesAsync(Folder[$"{i}"]));
            Assert.Equal(File.GetLastWriteTimeUtc(Server.PathOf(names[i])), File.GetLastWriteTimeUtc(Folder[$"{i}"]));
            Assert.True(OperatingSystem.IsWindows() || File.GetUnixFileMode(Folder[$"{i}"]).HasFlag(UnixFileMode.UserExecute) == (i == 2));
        }
    }

    [Fact]
    public async Task Files_that_come_alone_or_are_not_known_to_be_small_have_a_request_each()
    {
        for (int i = 0; i < 6; i++)
        {
            Server.Write($"{i}", 100, i);
        }

        Server.Write("large", TransferClient.SmallFileBytes + 1);
        using TransferClient client = Connect();
        await Get(client, "0", "0");
        await Get(client, "0", "0");
        var known = new GetOptions { Length = 100 };
        await Task.WhenAll(Enumerable.Range(0, 6).Select(i => client.GetAsync(Clients.Name($"{i}"), Folder[$"{i}"])));
        await Task.WhenAll(Enumerable.Range(0, 6).Select(i => client.GetAsync(Clients.Name($"{i}"), new MemoryStream(), known)));
        await Task.WhenAll(Enumerable.Range(0, 6).Select(
            i => client.GetAsync(Clients.Name($"{i}"), Folder[$"{i}"], known with { Range = new ByteRange(1, 2) })));
        await Task.WhenAll(Enumerable.Range(0, 6).Select(
            i => client.GetAsync(Clients.Name("large"), Folder[$"{i}"], new GetOptions { Length = TransferClient.SmallFileBytes + 1 })));

        Assert.Equal((26, 0), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task File_that_is_refused_has_the_error_of_a_request_of_its_own_and_the_others_come()
    {
        Server.Write("x", 100);
        Directory.CreateDirectory(Server.PathOf("folder"));
        using TransferClient alone = Server.Connect();
        using TransferClient client = await HeldAsync();
        string[] names = ["none", "folder", "x"];
        Task<TransferResult>[] gets = [.. names.Select(name => Get(client, name, name))];
        await WaitAsync(client, 3);
        Gate.Open();

        Assert.Equal(100, (await gets[2]).Length);
        for (int i = 0; i < 2; i++)
        {
            TransferException expected = await Assert.ThrowsAsync<TransferException>(() => alone.GetAsync(Clients.Name(names[i]), Folder["y"]));
            TransferException exception = await Assert.ThrowsAsync<TransferException>(() => gets[i]);
            Assert.Equal((expected.Message, expected.Error, expected.Status), (exception.Message, exception.Error, exception.Status));
        }

        Assert.Equal((4, 1), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task File_that_has_grown_and_file_that_has_changed_are_downloaded()
    {
        using TransferClient client = await HeldAsync();
        Server.Write("grown", 100);
        Server.Write("changed", 100);
        Server.Write("same", 100);
        Task<TransferResult>[] gets = [.. new[] { "grown", "changed", "same" }.Select(name => Get(client, name, name))];
        await WaitAsync(client, 3);
        byte[] grown = Server.Write("grown", TransferClient.SmallFileBytes + 1);
        byte[] changed = Server.Write("changed", 200, seed: 2);
        Gate.Open();
        await Task.WhenAll(gets);

        // Only that one has another request.
        Assert.Equal((BatchDownloads.RequestsAtOnce + 1, 1), (Gate.Alone, Gate.Batches));
        Assert.Equal(grown, await File.ReadAllBytesAsync(Folder["grown"]));
        Assert.Equal(changed, await File.ReadAllBytesAsync(Folder["changed"]));
    }

    [Fact]
    public async Task Others_go_on_when_one_caller_gives_up_and_the_last_one_ends_the_request()
    {
        Server.Write("x", 100);
        using TransferClient client = await HeldAsync();
        using var stop = new CancellationTokenSource();
        using var stopOther = new CancellationTokenSource();
        Task<TransferResult> early = Get(client, "x", "early", cancellationToken: stop.Token);
        await WaitAsync(client, 1);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => early);
        using var stopFirst = new CancellationTokenSource();
        Server.Write("y", 100);
        Task<TransferResult> first = Get(client, "x", "first", cancellationToken: stopFirst.Token);
        Task<TransferResult> other = Get(client, "y", "other", cancellationToken: stopOther.Token);
        await WaitAsync(client, 3);
        Gate.HoldBatches();
        Gate.Open();
        await Bounded.UntilAsync(() => Gate.Batches == 1);

        await stopFirst.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(Gate.IsBatchEnded);
        Assert.False(other.IsCompleted);
        await stopOther.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => other);
        await Bounded.UntilAsync(() => Gate.IsBatchEnded);

        // The turn is free again, and nothing is left of the files.
        await Get(client, "x", "next");
        await HeldOnesAsync();
        Assert.Equal(["held0", "held1", "next"], Directory.GetFiles(Folder.Path).Select(Path.GetFileName).Order());
    }

    [Theory]
    [InlineData(404, true)]
    [InlineData(405, true)]
    [InlineData(400, true)]
    [InlineData(415, true)]
    [InlineData(501, true)]
    [InlineData(307, true)]
    [InlineData(403, false)]
    [InlineData(429, false)]
    [InlineData(503, false)]
    public async Task Files_of_a_request_that_is_refused_have_a_request_each(int status, bool isForGood)
    {
        using TransferClient client = await HeldAsync();
        Gate.Answer = _ => new HttpResponseMessage((HttpStatusCode)status);

        await GetManyAsync(client, 6);

        Assert.Equal((8, 1), (Gate.Alone, Gate.Batches));
        Assert.Equal(isForGood, client.Downloads!.IsOff);
    }

    [Theory]
    [InlineData("text/html", "<html>", 0)]
    [InlineData(BatchFileDocument.MediaType, "", 0)]
    [InlineData(BatchFileDocument.MediaType, "null\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":2\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"files\":0}\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"1\",\"status\":200,\"length\":1}\nx{\"name\":\"0\",\"status\":200,\"length\":1}\nx{\"files\":2}\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"../0\",\"status\":200,\"length\":1}\nx", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":200,\"length\":-1}\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":200,\"length\":2147483647}\nxxx", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":200,\"length\":99999999999}\nxxx", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":200}\n{\"name\":\"1\",\"status\":200}\n{\"files\":2}\n", 0)]
    [InlineData(BatchFileDocument.MediaType, "{\"name\":\"0\",\"status\":200,\"length\":3}\nxx", 0)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + "{\"name\":\"1\",\"status\":200,\"length\":3}\nxx", 1)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + "{\"name\":\"1\",\"status\":404,\"error\":\"NotFound\"}\n{\"files\":2}\n", 1)]
    [InlineData(BatchFileDocument.MediaType, GoodFile, 1)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + "{\"files\":1}\n", 1)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + OtherFile, 2)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + OtherFile + "{\"files\":3}\n", 2)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + OtherFile + "{\"files\":2}\n" + OtherFile, 2)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + OtherFile + OtherFile + "{\"files\":3}\n", 2)]
    [InlineData(BatchFileDocument.MediaType, GoodFile + OtherFile + "{\"files\":2}\n", 2)]
    public async Task Files_that_an_answer_does_not_bring_have_a_request_each(string type, string answer, int brought)
    {
        Server.Write("0", 100);
        Server.Write("1", 100);
        using TransferClient client = await HeldAsync(options => options.VerifyDigests = false);
        Gate.Answer = _ => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(answer, Encoding.UTF8, type) };
        Task<TransferResult> first = Get(client, "0", "0");
        await WaitAsync(client, 1);
        TransferResult[] results = await TogetherAsync(client, [first, Get(client, "1", "1")]);

        Assert.Equal((4 - brought, 1), (Gate.Alone, Gate.Batches));
        Assert.Equal(brought > 0 ? "abc"u8.ToArray() : await File.ReadAllBytesAsync(Server.PathOf("0")), await File.ReadAllBytesAsync(Folder["0"]));
        Assert.Equal(brought > 1 ? [] : await File.ReadAllBytesAsync(Server.PathOf("1")), await File.ReadAllBytesAsync(Folder["1"]));
        Assert.Equal(["0", "1", "held0", "held1"], Directory.GetFiles(Folder.Path).Select(Path.GetFileName).Order());
    }

    private const string GoodFile = "{\"name\":\"0\",\"status\":200,\"length\":3,\"etag\":\"\\\"x\\\"\"}\nabc";
    private const string OtherFile = "{\"name\":\"1\",\"status\":200,\"length\":0}\n";

    [Fact]
    public async Task Line_without_an_end_ends_the_request()
    {
        using TransferClient client = await HeldAsync();
        var endless = new EndlessStream();
        Gate.Answer = _ => new HttpResponseMessage(HttpStatusCode.OK)
        {
            Content = new StreamContent(endless) { Headers = { ContentType = new(BatchFileDocument.MediaType) } },
        };

        await GetManyAsync(client, 2);

        Assert.InRange(endless.Position, 1, 1024 * 1024);
        Assert.True(client.Downloads!.IsOff);
    }

    [Fact]
    public async Task Wrong_digest_is_an_error_and_nothing_is_published()
    {
        using TransferClient client = await HeldAsync();
        Server.Write("0", 100);
        Server.Write("1", 100);
        Gate.Answer = answer =>
        {
            using var read = new MemoryStream();
            answer!.Content.CopyTo(read, null, default);
            byte[] bytes = read.ToArray();
            bytes[Array.IndexOf(bytes, (byte)'\n') + 1] ^= 1;
            return new HttpResponseMessage(HttpStatusCode.OK)
            {
                Content = new ByteArrayContent(bytes) { Headers = { ContentType = answer.Content.Headers.ContentType } },
            };
        };
        Task<TransferResult> damaged = Get(client, "0", "0");
        await WaitAsync(client, 1);
        Task<TransferResult> whole = Get(client, "1", "1");
        await WaitAsync(client, 2);
        Gate.Open();

        await whole;
        await Fails.WithAsync(TransferError.DigestMismatch, () => damaged);
        Assert.False(File.Exists(Folder["0"]));
        Assert.Equal(1, Gate.Batches);
    }

    [Fact]
    public async Task Failures_in_a_row_without_a_file_end_such_requests_and_a_busy_server_does_not()
    {
        bool isBusy = true;
        HttpRequestError error = HttpRequestError.Unknown;
        using TransferClient client = await HeldAsync();
        Gate.Answer = _ => isBusy
            ? new HttpResponseMessage(HttpStatusCode.TooManyRequests)
            {
                Content = new StringContent("""{"error":"TooManyTransfers"}""", Encoding.UTF8, "application/problem+json"),
            }
            : throw new HttpRequestException(error, "The connection was lost.");
        await GetManyAsync(client, 2 * BatchDownloads.MaxFiles * 4);
        Assert.False(client.Downloads!.IsOff);
        Assert.InRange(Gate.Batches, 3, int.MaxValue);

        // So is a server that is started again.
        (isBusy, error) = (false, HttpRequestError.ConnectionError);
        await GetManyAsync(client, 2 * BatchDownloads.MaxFiles * 4);
        Assert.False(client.Downloads!.IsOff);
        error = HttpRequestError.Unknown;

        await GetManyAsync(client, 2 * BatchDownloads.MaxFiles * 4);

        Assert.True(client.Downloads!.IsOff);
    }

    [Fact]
    public async Task Cut_answers_bring_the_files_before_the_cut_and_the_others_come_after_it()
    {
        const int Files = 600;
        for (int i = 0; i < Files; i++)
        {
            Server.Write($"f/{i}", 2_000, i);
        }

        await using TestRelay relay = Server.Behind(TransferProtocol.Http1, connection => new RelayPlan { CutDownAfter = connection % 2 == 0 ? 150_000 : null });
        using var client = Clients.To(relay.Files, options => options.MaxAttempts = 20);
        IReadOnlyList<TransferResult> results = await client.GetFolderAsync(Clients.Name("f"), Folder["to"]);

        Assert.Equal(Files, results.Count);
        for (int i = 0; i < Files; i++)
        {
            Assert.Equal(Content.Random(2_000, i), await File.ReadAllBytesAsync(Folder[$"to/{i}"]));
        }

        Assert.Equal(Files, Directory.GetFileSystemEntries(Folder["to"]).Length);
    }

    [Fact]
    public async Task Folder_of_small_files_needs_few_requests()
    {
        const int Files = 1_000;
        for (int i = 0; i < Files; i++)
        {
            Server.Write($"f/{i % 7}/{i}", i, i);
        }

        using TransferClient client = Connect();
        await client.GetFolderAsync(Clients.Name("f"), Folder["get"]);
        Assert.InRange(Gate.Alone + Gate.Batches, 5, Files / 2);
        int before = Gate.Alone + Gate.Batches;

        var sync = new FolderSync(SyncFolder.OnServer(client, Clients.Name("f")), SyncFolder.Here(Folder["sync"]), new SyncOptions());
        Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
        Assert.InRange(Gate.Alone + Gate.Batches - before, 5, Files / 2);
        for (int i = 0; i < Files; i++)
        {
            Assert.Equal(Content.Random(i, i), await File.ReadAllBytesAsync(Folder[$"get/{i % 7}/{i}"]));
            Assert.Equal(Content.Random(i, i), await File.ReadAllBytesAsync(Folder[$"sync/{i % 7}/{i}"]));
        }
    }

    [Fact]
    public async Task Bytes_of_a_request_count_against_the_rate()
    {
        const int Files = 12;
        const int Bytes = 16 * 1024;
        using TransferClient client = await HeldAsync(options => options.MaxBytesPerSecond = 512 * 1024);
        long began = Stopwatch.GetTimestamp();

        await GetManyAsync(client, Files, Bytes);

        // All but the last pieces, which last an eighth of a second each, are waited for.
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, (Files * Bytes / (512.0 * 1024)) - 0.26, double.MaxValue);
        Assert.Equal(1, Gate.Batches);
    }

    [Fact]
    public async Task Token_for_a_folder_is_enough()
    {
        Server.Write("reports/2026/may/x", 100);
        Server.Write("reports/2026/y", 100);
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Root)).AddAsync("one", TransferScope.Read, Clients.Name("reports/2026"))).Secret;
        using TransferClient client = await HeldAsync(options => options.Token = token, "reports/2026/held");

        await TogetherAsync(client, [Get(client, "reports/2026/may/x", "x"), Get(client, "reports/2026/y", "y")]);

        Assert.Equal((2, 1), (Gate.Alone, Gate.Batches));
    }

    [Theory, InlineData(TransferProtocol.Tus), InlineData(TransferProtocol.Grpc), InlineData(TransferProtocol.GrpcWeb)]
    public async Task Other_protocols_have_a_request_for_each_file(TransferProtocol protocol)
    {
        using TransferClient client = Connect(options => options.Protocol = protocol);
        for (int i = 0; i < 20; i++)
        {
            Server.Write($"{i}", 100, i);
        }

        await Task.WhenAll(Enumerable.Range(0, 20).Select(i => Get(client, $"{i}", $"{i}")));

        Assert.Equal(0, Gate.Batches);
    }

    [Fact]
    public async Task Servers_without_such_requests_get_one_for_each_file()
    {
        await using HostileServer server = await HostileServer.StartDescribedAsync(async context =>
        {
            Assert.Equal("GET", context.Request.Method);
            if (context.Request.Path == "/files/")
            {
                await HostileServer.JsonAsync(context, $$"""{"entries":[{{string.Join(',', Enumerable.Range(0, 50).Select(i => $$"""{"name":"{{i}}","length":3}"""))}}]}""");
                return;
            }

            context.Response.Headers.ETag = "\"x\"";
            await context.Response.WriteAsync("abc");
        });
        using TransferClient client = server.Connect(options => options.VerifyDigests = false);
        IReadOnlyList<TransferResult> results = await client.GetFolderAsync(default, Folder["to"]);

        Assert.Equal((50, 52), (results.Count, server.Requests));
    }

    private Task<TransferResult> Get(
        TransferClient client, string name, string path, GetOptions options = default, CancellationToken cancellationToken = default) =>
        client.GetAsync(Clients.Name(name), Folder[path], options with { Length = 100 }, cancellationToken: cancellationToken);

    protected override Task<TransferResult> MoveAsync(TransferClient client, string name, string path)
    {
        Server.Write(name, 10);
        return Get(client, name, path);
    }

    private async Task GetManyAsync(TransferClient client, int files, int bytes = 100)
    {
        for (int i = 0; i < files; i++)
        {
            Server.Write($"{i}", bytes, i);
        }

        Task<TransferResult[]> gets = Task.WhenAll(Enumerable.Range(0, files).Select(i => Get(client, $"{i}", $"{i}")));
        Gate.Open();
        await gets;
        await HeldOnesAsync();
        for (int i = 0; i < files; i++)
        {
            Assert.Equal(Content.Random(bytes, i), await File.ReadAllBytesAsync(Folder[$"{i}"]));
        }
    }

    private sealed class EndlessStream : MemoryStream
    {
        public override long Length => long.MaxValue;

        public override long Position { get; set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            buffer.Span.Fill((byte)' ');
            Position += buffer.Length;
            return ValueTask.FromResult(buffer.Length);
        }
    }
}
