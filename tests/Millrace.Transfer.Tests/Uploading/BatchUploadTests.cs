using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>Small files that are put at the same time.</summary>
public sealed class BatchUploadTests : BatchTest
{
    [Theory, InlineData(TransferProtocol.Http1), InlineData(TransferProtocol.Http2)]
    public async Task Files_that_wait_travel_in_one_request(TransferProtocol protocol)
    {
        string[] names = ["a", "d/empty", "d/e/é \"\\\t😀", "d/e/%41+&?#", "x"];
        using TransferClient client = await HeldAsync(options => options.Protocol = protocol);
        Server.Write("x", 10);
        var options = new PutOptions { Modified = new FileTime(1_500_000_000, 123_456_789), IsExecutable = true };

        TransferResult[] results = await TogetherAsync(client, [.. names.Select(
            (name, i) => client.PutAsync(Folder.Write($"{i}", Content.Random(i == 1 ? 0 : 1000 * i, i)), Clients.Name(name), options))]);

        Assert.Equal(1, Gate.Batches);
        for (int i = 0; i < names.Length; i++)
        {
            byte[] content = await File.ReadAllBytesAsync(Folder[$"{i}"]);
            StoredFile stored = (await client.FindAsync(Clients.Name(names[i])))!;
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf(names[i])));
            Assert.Equal(
                new TransferResult(stored.Name, content.Length, stored.Tag, Sha256Digest.Compute(content), protocol, content.Length, 1), results[i]);
            Assert.Equal((options.Modified, !OperatingSystem.IsWindows()), (stored.Modified, stored.IsExecutable));
        }
    }

    [Fact]
    public async Task Dates_and_digests_can_be_left_out()
    {
        using TransferClient client = await HeldAsync(options => options.VerifyDigests = false);
        string path = Folder.Write("x", Content.Random(100));
        File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch);

        TransferResult[] results = await TogetherAsync(
            client, client.PutAsync(path, Clients.Name("x"), new PutOptions { NoTimes = true }), client.PutAsync(path, Clients.Name("y")));

        Assert.Equal(1, Gate.Batches);
        Assert.All(results, result => Assert.Null(result.Sha256));
        Assert.NotEqual(DateTime.UnixEpoch, File.GetLastWriteTimeUtc(Server.PathOf("x")));
        Assert.Equal(DateTime.UnixEpoch, File.GetLastWriteTimeUtc(Server.PathOf("y")));
    }

    [Fact]
    public async Task Files_one_after_the_other_have_a_request_each()
    {
        using TransferClient client = Connect();
        for (int i = 0; i < 3; i++)
        {
            await client.PutAsync(Folder.Write("x", Content.Random(100)), Clients.Name("x"));
        }

        Assert.Equal((3, 0), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task Larger_files_have_a_request_each()
    {
        using TransferClient client = await HeldAsync();
        string large = Folder.Write("large", Content.Random(TransferClient.SmallFileBytes + 1));

        Gate.Open();
        await Task.WhenAll(Enumerable.Range(0, 4).Select(i => client.PutAsync(large, Clients.Name($"{i}"))));

        Assert.Equal(0, Gate.Batches);
    }

    [Fact]
    public async Task Refused_file_has_the_error_of_a_request_of_its_own_and_the_others_are_published()
    {
        Server.Write("taken", 10);
        Server.Write("changed", 10);
        PutOptions[] conditions =
        [
            new() { Precondition = new WritePrecondition { CreateNew = true } },
            new() { Precondition = new WritePrecondition { Match = [new EntityTag("other")] } },
            new() { Precondition = new WritePrecondition { MustExist = true } },
        ];
        string[] names = ["taken", "changed", "none"];
        string path = Folder.Write("x", Content.Random(100));
        var expected = new List<TransferException>();
        using (TransferClient alone = Server.Connect())
        {
            for (int i = 0; i < names.Length; i++)
            {
                expected.Add(await Assert.ThrowsAsync<TransferException>(() => alone.PutAsync(path, Clients.Name(names[i]), conditions[i])));
            }
        }

        using TransferClient client = await HeldAsync();
        Task<TransferResult>[] refused = [.. names.Select((name, i) => client.PutAsync(path, Clients.Name(name), conditions[i]))];
        Task<TransferResult> other = client.PutAsync(path, Clients.Name("other"));
        await WaitAsync(client, 4);
        Gate.Open();

        Assert.Equal(100, (await other).Length);
        for (int i = 0; i < names.Length; i++)
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(() => refused[i]);
            Assert.Equal(expected[i].ToString().Split('\n')[0], exception.ToString().Split('\n')[0]);
            Assert.Equal(
                (expected[i].Error, expected[i].Status, expected[i].Name, expected[i].Protocol, expected[i].Reason),
                (exception.Error, exception.Status, exception.Name, exception.Protocol, exception.Reason));
        }

        Assert.Equal((2, 1), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task File_whose_caller_gives_up_first_is_left_out()
    {
        using TransferClient client = await HeldAsync();
        using var stop = new CancellationTokenSource();
        string path = Folder.Write("x", Content.Random(100));
        Task<TransferResult> canceled = client.PutAsync(path, Clients.Name("canceled"), cancellationToken: stop.Token);
        Task<TransferResult>[] others = [.. Enumerable.Range(0, 3).Select(i => client.PutAsync(path, Clients.Name($"{i}")))];
        await WaitAsync(client, 4);

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled);
        Gate.Open();
        await Task.WhenAll(others);

        Assert.Equal(1, Gate.Batches);
        Assert.DoesNotContain("canceled", Server.Visible());
    }

    [Fact]
    public async Task Others_go_on_when_one_caller_gives_up_and_the_last_one_ends_the_request()
    {
        using TransferClient client = await HeldAsync();
        using var stop = new CancellationTokenSource();
        using var stopOther = new CancellationTokenSource();
        string path = Folder.Write("x", Content.Random(100));
        Task<TransferResult> first = client.PutAsync(path, Clients.Name("first"), cancellationToken: stop.Token);
        Task<TransferResult> other = client.PutAsync(path, Clients.Name("other"), cancellationToken: stopOther.Token);
        await WaitAsync(client, 2);
        Gate.HoldBatches();
        Gate.Open();
        await Bounded.UntilAsync(() => Gate.Batches == 1);

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(Gate.IsBatchEnded);
        Assert.False(other.IsCompleted);
        await stopOther.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => other);
        await Bounded.UntilAsync(() => Gate.IsBatchEnded);

        // The turn is free again.
        await client.PutAsync(path, Clients.Name("next"));
    }

    [Theory]
    [InlineData(404, false)]
    [InlineData(405, false)]
    [InlineData(413, false)]
    [InlineData(501, false)]
    [InlineData(307, false)]
    [InlineData(403, true)]
    [InlineData(429, true)]
    [InlineData(503, true)]
    public async Task Files_of_a_request_that_is_refused_go_apart(int status, bool isTriedAgain)
    {
        using TransferClient client = await HeldAsync();
        Gate.PassesOn = false;
        Gate.Answer = _ => new HttpResponseMessage((HttpStatusCode)status);
        string path = Folder.Write("x", Content.Random(100));

        TransferResult[] results = await TogetherAsync(client, Enumerable.Range(0, 6).Select(i => client.PutAsync(path, Clients.Name($"{i}"))));

        Assert.Equal((8, 1), (Gate.Alone, Gate.Batches));
        Assert.Equal(isTriedAgain ? 256 : 8, client.SmallFilesAtOnce);
        Assert.All(results, result => Assert.Equal(status is 429 or 503 ? 2 : 1, result.Attempts));
        Assert.Equal(8, Server.Visible().Count);
    }

    [Theory]
    [InlineData("text/html", "<html>")]
    [InlineData("application/x-ndjson", "")]
    [InlineData("application/x-ndjson", "null\n")]
    [InlineData("application/x-ndjson", "{\"name\":\"0\",\"status\":2\n")]
    [InlineData("application/x-ndjson", "{\"name\":\"other\",\"status\":201,\"etag\":\"\\\"x\\\"\"}\n")]
    [InlineData("application/x-ndjson", "{\"name\":\"0\",\"status\":201}\n")]
    [InlineData("application/x-ndjson", "{\"name\":\"0\",\"status\":500}\n{\"name\":\"1\",\"status\":99999}\n")]
    public async Task Files_without_an_answer_go_apart(string type, string answer)
    {
        using TransferClient client = await HeldAsync();
        Gate.PassesOn = false;
        Gate.Answer = _ => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(answer, Encoding.UTF8, type) };
        string path = Folder.Write("x", Content.Random(100));
        Task<TransferResult> first = client.PutAsync(path, Clients.Name("0"));
        await WaitAsync(client, 1);

        await TogetherAsync(client, first, client.PutAsync(path, Clients.Name("1")));

        Assert.Equal((4, 1), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task File_that_the_server_published_before_the_connection_failed_is_found_again()
    {
        using TransferClient client = await HeldAsync();
        Gate.Answer = _ => throw new HttpRequestException("The connection was lost.");
        var options = new PutOptions { Precondition = new WritePrecondition { CreateNew = true } };

        TransferResult[] results = await TogetherAsync(client, [.. Enumerable.Range(0, 6).Select(
            i => client.PutAsync(Folder.Write($"{i}", Content.Random(100, i)), Clients.Name($"{i}"), options))]);

        Assert.Equal((8, 1), (Gate.Alone, Gate.Batches));
        Assert.All(results, result => Assert.Equal(2, result.Attempts));
    }

    [Theory]
    [InlineData(200, "")]
    [InlineData(200, "{\"name\":\"0\",\"status\":201,\"etag\":\"\\\"x\\\"\"}")]
    [InlineData(200, "{\"name\":\"0\",\"status\":500}\n{\"name\":\"1\",\"status\":503}\n{\"name\":\"2\",\"status\":500}\n")]
    [InlineData(400, "")]
    [InlineData(408, "")]
    [InlineData(413, "")]
    [InlineData(502, "")]
    public async Task New_files_that_the_server_published_are_found_again_after_an_answer_that_does_not_say_so(int status, string answer)
    {
        using TransferClient client = await HeldAsync();
        Gate.Answer = _ => new HttpResponseMessage((HttpStatusCode)status)
        {
            Content = new StringContent(answer, Encoding.UTF8, "application/x-ndjson"),
        };
        await PutNewOnesAsync(client);
    }

    [Fact]
    public async Task New_files_are_found_again_when_the_connection_of_the_answer_fails()
    {
        using TransferClient client = await HeldAsync();
        Gate.Answer = static _ => new HttpResponseMessage(HttpStatusCode.OK)
        {
            Content = new StreamContent(new LostStream()) { Headers = { ContentType = new MediaTypeHeaderValue("application/x-ndjson") } },
        };
        await PutNewOnesAsync(client);
    }

    private async Task PutNewOnesAsync(TransferClient client)
    {
        var options = new PutOptions { Precondition = new WritePrecondition { CreateNew = true } };
        var puts = new List<Task<TransferResult>>();
        for (int i = 0; i < 3; i++)
        {
            puts.Add(client.PutAsync(Folder.Write($"{i}", Content.Random(100, i)), Clients.Name($"{i}"), options));
            await WaitAsync(client, i + 1);
        }

        TransferResult[] results = await TogetherAsync(client, puts);

        Assert.Equal((5, 1), (Gate.Alone, Gate.Batches));
        for (int i = 0; i < results.Length; i++)
        {
            StoredFile stored = (await client.FindAsync(Clients.Name($"{i}")))!;
            Assert.Equal((stored.Tag, Sha256Digest.Compute(Content.Random(100, i))), (results[i].Tag, results[i].Sha256));
        }
    }

    [Fact]
    public async Task Files_that_wait_go_apart_when_the_server_knows_no_such_requests()
    {
        using TransferClient client = await HeldAsync();
        Gate.Answer = _ => new HttpResponseMessage(HttpStatusCode.MethodNotAllowed);
        Gate.PassesOn = false;
        string path = Folder.Write("x", Content.Random(10));
        const int Files = (2 * BatchUploads.MaxFiles) + 50;

        // The first request is under way when the others arrive.
        await TogetherAsync(client, Enumerable.Range(0, Files).Select(i => client.PutAsync(path, Clients.Name($"{i}"))));

        Assert.InRange(Gate.Batches, 1, BatchUploads.RequestsAtOnce);
        Assert.Equal(Files + BatchUploads.RequestsAtOnce, Server.Visible().Count);
    }

    [Theory]
    [InlineData(413)]
    [InlineData(504)]
    [InlineData(0)]
    public async Task Requests_become_smaller_where_large_ones_fail(int status)
    {
        Gate.MaxBatchBytes = 300 * 1024;
        Gate.Answer = _ => status == 0 ? throw new HttpRequestException("The connection was lost.") : new HttpResponseMessage((HttpStatusCode)status);
        using TransferClient client = await HeldAsync();
        const int Files = 300;
        for (int i = 0; i < Files; i++)
        {
            Folder.Write($"f/{i}", Content.Random(20_000, i));
        }

        // More of them wait than one request may bring.
        Task<IReadOnlyList<TransferResult>> puts = client.PutFolderAsync(Folder["f"]);
        await Bounded.UntilAsync(() => client.Batches!.Waiting >= 100);
        Gate.Open();
        IReadOnlyList<TransferResult> results = await puts;
        await HeldOnesAsync();

        Assert.Equal(Files, results.Count);
        Assert.Equal(Files + BatchUploads.RequestsAtOnce, Server.Visible().Count);
        Assert.InRange(Gate.Largest, Gate.MaxBatchBytes.Value + 1, BatchUploads.MaxBytes);
        Assert.NotEqual(0, Gate.Passed);
        Assert.Equal(256, client.SmallFilesAtOnce);
    }

    [Fact]
    public async Task Requests_that_fail_whatever_their_size_end_for_good()
    {
        Gate.MaxBatchBytes = 0;
        Gate.Answer = static _ => new HttpResponseMessage(HttpStatusCode.BadGateway);
        using TransferClient client = Connect();
        const int Files = 1_500;
        for (int i = 0; i < Files; i++)
        {
            Folder.Write($"f/{i}", Content.Random(100, i));
        }

        IReadOnlyList<TransferResult> results = await client.PutFolderAsync(Folder["f"]);

        Assert.Equal(Files, results.Count);
        Assert.Equal(Files, Server.Visible().Count);
        Assert.Equal(8, client.SmallFilesAtOnce);
    }

    [Fact]
    public async Task Files_of_a_request_wait_as_long_as_the_server_asks()
    {
        using TransferClient client = await HeldAsync();
        Gate.PassesOn = false;
        Gate.Answer = static _ => new HttpResponseMessage(HttpStatusCode.TooManyRequests)
        {
            Headers = { RetryAfter = new RetryConditionHeaderValue(TimeSpan.FromSeconds(1)) },
        };
        string path = Folder.Write("x", Content.Random(100));
        long began = Stopwatch.GetTimestamp();

        await TogetherAsync(client, Enumerable.Range(0, 6).Select(i => client.PutAsync(path, Clients.Name($"{i}"))));

        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 0.95, double.MaxValue);
        Assert.Equal((8, 1), (Gate.Alone, Gate.Batches));
    }

    [Fact]
    public async Task Names_beyond_ASCII_make_no_request_too_long()
    {
        using TransferClient client = await HeldAsync();
        string path = Folder.Write("x", Content.Random(5_000));
        string folder = string.Concat(Enumerable.Repeat("Ж\"😀", 20));
        const int Files = 250;

        await TogetherAsync(client, Enumerable.Range(0, Files).Select(i => client.PutAsync(path, Clients.Name(i % 2 == 0 ? $"{folder}{i}" : $"{i}/{folder}"))));

        Assert.InRange(Gate.Largest, BatchUploads.MaxBytes / 2, BatchUploads.MaxBytes);
        Assert.Equal(Files + BatchUploads.RequestsAtOnce, Server.Visible().Count);
    }

    [Fact]
    public async Task Files_that_cannot_travel_with_others_are_put_a_few_at_once()
    {
        using TransferClient client = await HeldAsync();
        string path = Folder.Write("x", Content.Random(100));
        var options = new PutOptions { Precondition = new WritePrecondition { UnmodifiedSince = DateTimeOffset.UtcNow.AddDays(1) } };

        Task<TransferResult[]> puts = Task.WhenAll(Enumerable.Range(0, 40).Select(i => client.PutAsync(path, Clients.Name($"{i}"), options)));
        await Bounded.UntilAsync(() => Gate.Alone == BatchUploads.RequestsAtOnce + 8);
        await Task.Delay(50);
        Gate.Open();
        await puts;

        Assert.Equal(BatchUploads.RequestsAtOnce + 8, Gate.Most);
    }

    [Fact]
    public async Task Files_that_are_not_kept_in_memory_are_put_a_few_at_once()
    {
        using TransferClient client = await HeldAsync(options => options.KeepCached = false);

        Assert.Equal(8, client.SmallFilesAtOnce);
        Gate.Open();
    }

    [Fact]
    public async Task File_of_a_caller_who_gave_up_does_not_replace_one_that_is_put_later()
    {
        using TransferClient client = await HeldAsync();
        using var stop = new CancellationTokenSource();
        string path = Folder.Write("x", Content.Random(100));
        string large = Folder.Write("large", Content.Random(TransferClient.SmallFileBytes + 1));
        Task<TransferResult> first = client.PutAsync(path, Clients.Name("x"), cancellationToken: stop.Token);
        Task<TransferResult> other = client.PutAsync(path, Clients.Name("other"));
        await WaitAsync(client, 2);
        Gate.HoldBatches();
        Gate.Open();
        await Bounded.UntilAsync(() => Gate.Batches == 1);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        Task<TransferResult> later = client.PutAsync(large, Clients.Name("x"));
        await Task.WhenAny(later, Task.Delay(300));
        Gate.ReleaseBatches();
        await other;
        await later;

        Assert.Equal(TransferClient.SmallFileBytes + 1, new FileInfo(Server.PathOf("x")).Length);
        await client.PutAsync(path, Clients.Name("x"));
        Assert.Equal(100, new FileInfo(Server.PathOf("x")).Length);
    }

    [Fact]
    public async Task Changed_and_lost_files_are_reported_and_the_others_are_published()
    {
        using TransferClient client = await HeldAsync();
        string path = Folder.Write("x", Content.Random(100));
        string changed = Folder.Write("changed", Content.Random(100));
        string lost = Folder.Write("lost", Content.Random(100));
        Task<TransferResult>[] puts = [.. new[] { path, changed, lost }.Select(each => client.PutAsync(each, Clients.Name(Path.GetFileName(each))))];
        await WaitAsync(client, 3);

        await File.WriteAllBytesAsync(changed, Content.Random(101));
        File.Delete(lost);
        Gate.Open();

        await puts[0];
        await Fails.WithAsync(TransferError.Changed, () => puts[1]);
        await Fails.WithAsync(TransferError.Changed, () => puts[2]);
        Assert.Equal(100, new FileInfo(Server.PathOf("changed")).Length);
    }

    [Fact]
    public async Task Files_that_cannot_be_read_have_the_error_of_a_request_of_their_own()
    {
        using TransferClient client = await HeldAsync();

        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(() => client.PutAsync(Folder["none"], Clients.Name("x")));

        Assert.Equal(FilePipeError.NotFound, exception.Error);
        Gate.Open();
    }

    [Fact]
    public async Task Name_twice_is_put_twice()
    {
        using TransferClient client = await HeldAsync();
        string[] paths = [.. Enumerable.Range(0, 4).Select(i => Folder.Write($"{i}", Content.Random(100, i)))];

        await TogetherAsync(client, paths.Select(path => client.PutAsync(path, Clients.Name("x"))));

        Assert.Contains(await File.ReadAllBytesAsync(Server.PathOf("x")), paths.Select(File.ReadAllBytes));
    }

    [Fact]
    public async Task Bytes_of_a_request_count_against_the_rate()
    {
        const int Files = 12;
        const int Bytes = 16 * 1024;
        using TransferClient client = await HeldAsync(options => options.MaxBytesPerSecond = 512 * 1024);
        string path = Folder.Write("x", Content.Random(Bytes));
        long began = Stopwatch.GetTimestamp();

        await TogetherAsync(client, Enumerable.Range(0, Files).Select(i => client.PutAsync(path, Clients.Name($"{i}"))));

        // All but the last piece, which lasts an eighth of a second, are waited for.
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, (Files * Bytes / (512.0 * 1024)) - 0.126, double.MaxValue);
        Assert.Equal(1, Gate.Batches);
    }

    [Fact]
    public async Task Token_for_a_folder_is_enough()
    {
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Root)).AddAsync("one", TransferScope.Write, Clients.Name("reports/2026"))).Secret;
        using TransferClient client = await HeldAsync(options => options.Token = token, "reports/2026/held");
        string path = Folder.Write("x", Content.Random(100));

        await TogetherAsync(client, client.PutAsync(path, Clients.Name("reports/2026/may/x")), client.PutAsync(path, Clients.Name("reports/2026/y")));

        Assert.Equal(1, Gate.Batches);
    }

    [Theory, InlineData(TransferProtocol.Tus), InlineData(TransferProtocol.Grpc), InlineData(TransferProtocol.GrpcWeb)]
    public async Task Other_protocols_have_a_request_for_each_file(TransferProtocol protocol)
    {
        using TransferClient client = Connect(options => options.Protocol = protocol);
        string path = Folder.Write("x", Content.Random(100));

        await Task.WhenAll(Enumerable.Range(0, 20).Select(i => client.PutAsync(path, Clients.Name($"{i}"))));

        Assert.Equal((0, 8), (Gate.Batches, client.SmallFilesAtOnce));
        Assert.Equal(20, Server.Visible().Count);
    }

    [Fact]
    public async Task Folder_of_small_files_needs_few_requests()
    {
        const int Files = 1_000;
        for (int i = 0; i < Files; i++)
        {
            Folder.Write($"f/{i % 7}/{i}", Content.Random(i, i));
        }

        using TransferClient client = Connect();
        IReadOnlyList<TransferResult> results = await client.PutFolderAsync(Folder["f"], Clients.Name("to"));

        Assert.Equal(Files, results.Count);
        Assert.InRange(Gate.Alone + Gate.Batches, 5, Files / 2);
        for (int i = 0; i < Files; i++)
        {
            Assert.Equal(Content.Random(i, i), await File.ReadAllBytesAsync(Server.PathOf($"to/{i % 7}/{i}")));
        }
    }

    [Fact]
    public async Task Servers_without_such_requests_get_one_for_each_file()
    {
        int running = 0;
        var most = new ConcurrentBag<int>();
        await using HostileServer server = await HostileServer.StartDescribedAsync(async context =>
        {
            Assert.Equal("PUT", context.Request.Method);
            most.Add(Interlocked.Increment(ref running));
            await context.Request.Body.CopyToAsync(Stream.Null);
            Interlocked.Decrement(ref running);
            context.Response.Headers.ETag = "\"x\"";
            context.Response.StatusCode = 201;
        });
        for (int i = 0; i < 100; i++)
        {
            Folder.Write($"f/{i}", Content.Random(10));
        }

        using TransferClient client = server.Connect(options => options.VerifyDigests = false);
        IReadOnlyList<TransferResult> results = await client.PutFolderAsync(Folder["f"]);

        Assert.Equal(100, results.Count);
        Assert.InRange(most.Max(), 1, 4);
        Assert.Equal(8, client.SmallFilesAtOnce);
    }

    protected override Task<TransferResult> MoveAsync(TransferClient client, string name, string path) =>
        client.PutAsync(Folder.Write(path, []), Clients.Name(name));

    /// <summary>What a connection that fails gives.</summary>
    private sealed class LostStream() : MemoryStream([])
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            ValueTask.FromException<int>(new SocketException((int)SocketError.ConnectionReset));
    }
}
