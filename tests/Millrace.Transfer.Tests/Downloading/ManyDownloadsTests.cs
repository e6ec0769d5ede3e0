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
