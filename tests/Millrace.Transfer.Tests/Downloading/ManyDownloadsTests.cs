using System.IO.Pipelines;
using System.Net;
using Millrace.Interop;

namespace Millrace.Transfer.Tests.Downloading;

/// <summary>Many small files at once.</summary>
public sealed class ManyDownloadsTests : ServerTest
{
    [Fact]
    public async Task So_many_receive_at_once_as_are_allowed()
    {
        const int Files = 60;
        const int Allowed = 3;
        byte[][] contents = [.. Enumerable.Range(0, Files).Select(i => Server.Write($"{i}", 1000 + i, i))];
        using var handler = new MeetingHandler(Allowed);
        using var client = new TransferClient(Server.Files, handler, disposeHandler: false, new TransferClientOptions { MaxReceiving = Allowed });

        await Task.WhenAll(Enumerable.Range(0, Files).Select(i => client.GetAsync(Clients.Name($"{i}"), Folder[$"{i}"])))
            .WaitAsync(TimeSpan.FromMinutes(2));

        Assert.Equal(Allowed, handler.Most);
        Assert.All(Enumerable.Range(0, Files), i => Assert.Equal(contents[i], File.ReadAllBytes(Folder[$"{i}"])));
    }

    [Fact]
    public async Task A_download_that_waits_can_be_canceled_and_takes_no_turn()
    {
        Server.Write("x", 1000);
        using var handler = new MeetingHandler(2);
        using var client = new TransferClient(Server.Files, handler, disposeHandler: false, new TransferClientOptions { MaxReceiving = 1 });
        using var stop = new CancellationTokenSource();
        using var stopFirst = new CancellationTokenSource();

        Task first = client.GetAsync(Clients.Name("x"), Folder["first"], cancellationToken: stopFirst.Token);
        await Bounded.UntilAsync(() => handler.Most == 1);
        Task second = client.GetAsync(Clients.Name("x"), Folder["second"], cancellationToken: stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second.WaitAsync(TimeSpan.FromMinutes(1)));
        await stopFirst.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.WaitAsync(TimeSpan.FromMinutes(1)));
        handler.Open();
        await client.GetAsync(Clients.Name("x"), Folder["third"]).WaitAsync(TimeSpan.FromMinutes(1));

        Assert.Equal(["third"], Folder.Names);
    }

    [Fact]
    public async Task Those_that_wait_end_when_the_client_is_disposed()
    {
        Server.Write("x", 1000);
        using var handler = new MeetingHandler(int.MaxValue);
        var client = new TransferClient(
            Server.Files, handler, disposeHandler: false, new TransferClientOptions { MaxReceiving = 1, FirstDelay = TimeSpan.FromMilliseconds(1) });
        await client.ContextAsync(default);

        Task[] downloads = [.. Enumerable.Range(0, 5).Select(i => client.GetAsync(Clients.Name("x"), Folder[$"{i}"]))];
        await Bounded.UntilAsync(() => handler.Most == 1);
        client.Dispose();

        foreach (Task download in downloads)
        {
            Exception? ended = await Record.ExceptionAsync(() => download.WaitAsync(TimeSpan.FromMinutes(1)));
            Assert.NotNull(ended);
            Assert.IsNotType<TimeoutException>(ended);
        }

        Assert.Empty(Folder.Names);
    }

    [Fact]
    public async Task Half_as_many_receive_after_the_server_has_refused_one()
    {
        const int Files = 60;
        const int Allowed = 8;
        byte[][] contents = [.. Enumerable.Range(0, Files).Select(i => Server.Write($"{i}", 1000 + i, i))];
        using var handler = new RefusingHandler(Allowed);
        using var client = new TransferClient(
            Server.Files, handler, disposeHandler: false, new TransferClientOptions { MaxReceiving = Allowed, FirstDelay = TimeSpan.FromMilliseconds(1) });

        await Task.WhenAll(Enumerable.Range(0, Files).Select(i => client.GetAsync(Clients.Name($"{i}"), Folder[$"{i}"])))
            .WaitAsync(TimeSpan.FromMinutes(2));

        Assert.Equal(Allowed / 2, handler.MostLater);
        Assert.All(Enumerable.Range(0, Files), i => Assert.Equal(contents[i], File.ReadAllBytes(Folder[$"{i}"])));
    }

    [Fact]
    public async Task A_turn_is_left_before_a_commit_that_is_shared_only()
    {
        const int Files = 20;
        const int Allowed = 3;
        Server.Write("x", 1000);
        using TransferClient client = Clients.To(Server.Files);
        TransferContext context = await client.ContextAsync(default);

        Assert.Equal(Files, await CountAsync(isShared: true, Files));
        Assert.Equal(Allowed, await CountAsync(isShared: false, Allowed));

        async Task<int> CountAsync(bool isShared, int expected)
        {
            var commits = new Commits();
            var turns = new ReceiveTurns(Allowed);
            var all = Task.WhenAll(Enumerable.Range(0, Files).Select(async _ =>
            {
                await using var sink = new CommitSink(commits, isShared);
                await using var download = new Download(context, Clients.Name("x"), sink, new GetOptions(), new ProgressMeter(null, TimeProvider.System));
                await download.RunAsync(turns, default);
            }));
            await Bounded.UntilAsync(() => commits.Most >= expected);
            commits.Go.SetResult();
            await all.WaitAsync(TimeSpan.FromMinutes(1));
            return commits.Most;
        }
    }

    [Fact]
    public async Task Only_small_new_files_of_a_file_system_that_can_share_their_commit()
    {
        await using FileSink small = Sink("small", Durability.OnCommit, TransferClient.SmallFileBytes);
        await using FileSink large = Sink("large", Durability.OnCommit, TransferClient.SmallFileBytes + 1);
        await using FileSink none = Sink("none", Durability.None, 1);
        await using var part = new FileSink(Folder["part"], false, Durability.OnCommit, true, PartRecord.Unremembered(Folder["part"]));
        await part.Writer.WriteAsync(new byte[10]);

        Assert.Equal(FileSystemSync.IsReliable(((FilePipeWriter)small.Writer).Handle), small.SharesCommit);
        Assert.False(large.SharesCommit);
        Assert.False(none.SharesCommit);
        Assert.False(part.SharesCommit);

        FileSink Sink(string name, Durability durability, int bytes)
        {
            var sink = new FileSink(Folder[name], false, durability, true, null);
            sink.Writer.GetSpan(bytes)[..bytes].Clear();
            sink.Writer.Advance(bytes);
            return sink;
        }
    }

    [Fact]
    public async Task A_part_that_nothing_describes_is_thrown_away()
    {
        byte[] content = Server.Write("x", 1000);
        Folder.Write(".x.millrace-part", "of something else");
        using TransferClient client = Clients.To(Server.Files);

        await client.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true });

        Assert.Equal(["x"], Folder.Names);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["x"]));
    }

    [Theory]
    [InlineData("d", "")]
    [InlineData("d/e", "")]
    [InlineData("d/e", "e")]
    [InlineData("d/e/f", "e/f")]
    public void A_folder_that_has_become_a_link_leads_nowhere(string path, string below)
    {
        using var outside = new TemporaryFolder();
        Directory.CreateDirectory(Path.Combine(outside.Path, below));
        var folder = new LocalFolder(Folder.Path);
        Prepare("a");
        Prepare("b");
        Directory.Delete(Folder["d"], recursive: true);
        Prepare("c");
        Assert.True(Directory.Exists(Folder[path]));
        string linked = Folder[below.Length == 0 ? path : path[..^(below.Length + 1)]];
        Directory.Delete(linked, recursive: true);
        Directory.CreateSymbolicLink(linked, outside.Path);

        TransferException refused = Assert.Throws<TransferException>(() => Prepare("g"));
        Assert.Equal(TransferError.Forbidden, refused.Error);

        void Prepare(string name) => folder.Prepare(Folder[$"{path}/{name}"], Clients.Name($"{path}/{name}"));
    }

    private sealed class Commits
    {
        private int _running;
        private int _most;

        public int Most => Volatile.Read(ref _most);

        public TaskCompletionSource Go { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public async ValueTask RunAsync()
        {
            lock (Go)
            {
                _most = Math.Max(_most, ++_running);
            }

            await Go.Task.WaitAsync(TimeSpan.FromMinutes(1));
            lock (Go)
            {
                _running--;
            }
        }
    }

    private sealed class CommitSink(Commits commits, bool isShared) : DownloadSink
    {
        public override PipeWriter Writer { get; } = PipeWriter.Create(Stream.Null);

        public override bool SharesCommit => isShared;

        public override ValueTask CommitAsync(FileTime? modified, bool? isExecutable, CancellationToken cancellationToken) => commits.RunAsync();

        public override ValueTask DisposeAsync() => Writer.CompleteAsync();
    }

    /// <summary>Of so many that meet, refuses the first one because there are too many; the others wait until it comes again.</summary>
    private sealed class RefusingHandler(int count) : DelegatingHandler(TransferConnections.Create(new TransferClientOptions()))
    {
        private readonly TaskCompletionSource _met = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _again = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _metLater = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private string? _refused;
        private int _came;
        private int _later;

        /// <summary>The most requests at once of those that came after the first ones.</summary>
        public int MostLater { get; private set; }

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            string path = request.RequestUri!.AbsolutePath;
            if (request.Method != HttpMethod.Get || !path.StartsWith("/files/", StringComparison.Ordinal))
            {
                return await base.SendAsync(request, cancellationToken);
            }

            if (path == _refused)
            {
                _again.TrySetResult();
                return await base.SendAsync(request, cancellationToken);
            }

            int place = Interlocked.Increment(ref _came);
            if (place <= count)
            {
                if (place == 1)
                {
                    _refused = path;
                }

                _ = place == count && _met.TrySetResult();
                await (place == 1 ? _met : _again).Task.WaitAsync(TimeSpan.FromMinutes(1), cancellationToken);
                return place == 1
                    ? new HttpResponseMessage(HttpStatusCode.TooManyRequests) { RequestMessage = request }
                    : await base.SendAsync(request, cancellationToken);
            }

            lock (_met)
            {
                MostLater = Math.Max(MostLater, ++_later);
                _ = _later == count / 2 && _metLater.TrySetResult();
            }

            await _metLater.Task.WaitAsync(TimeSpan.FromMinutes(1), cancellationToken);

            // Not needed for those that are right: it lets more come if too many may.
            await Task.Delay(10, cancellationToken);
            try
            {
                return await base.SendAsync(request, cancellationToken);
            }
            finally
            {
                lock (_met)
                {
                    _later--;
                }
            }
        }
    }

    /// <summary>Lets requests for files go on when so many are there.</summary>
    private sealed class MeetingHandler(int count) : DelegatingHandler(TransferConnections.Create(new TransferClientOptions()))
    {
        private readonly TaskCompletionSource _met = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _running;
        private int _most;

        public int Most => Volatile.Read(ref _most);

        public void Open() => _met.TrySetResult();

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (request.Method != HttpMethod.Get || !request.RequestUri!.AbsolutePath.StartsWith("/files/", StringComparison.Ordinal))
            {
                return await base.SendAsync(request, cancellationToken);
            }

            lock (_met)
            {
                _most = Math.Max(_most, ++_running);
                if (_running == count)
                {
                    _met.TrySetResult();
                }
            }

            try
            {
                await _met.Task.WaitAsync(TimeSpan.FromMinutes(1), cancellationToken);
                return await base.SendAsync(request, cancellationToken);
            }
            finally
            {
                lock (_met)
                {
                    _running--;
                }
            }
        }
    }
}
