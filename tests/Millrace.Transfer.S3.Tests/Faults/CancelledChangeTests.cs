namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Callers that give up while the bucket changes a file. The bucket may carry the change out nevertheless.</summary>
public sealed class CancelledChangeTests : BucketTest, IDisposable
{
    private const int Mega = 1 << 20;

    private readonly CancellationTokenSource _gone = new();
    private readonly TaskCompletionSource _sent = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _goesOn = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _holds;
    private Func<Task>? _holdsClaim;

    [NeedsTheory(Need.Ceph)]
    [InlineData("put", "a f/1 f/2", 1)]
    [InlineData("put large", "a f/1 f/2", 1)]
    [InlineData("publish", "a f/1 f/2 g", 0)]
    [InlineData("delete", "f/1 f/2", 1)]
    [InlineData("move", "b f/1 f/2", 0)]
    [InlineData("move over", "f/1 f/2", 1)]
    [InlineData("copy", "a b f/1 f/2", 0)]
    [InlineData("set time", "a f/1 f/2", 0)]
    [InlineData("create folder", "a f/1 f/2 g/", 0)]
    [InlineData("delete folder", "a", 1)]
    [InlineData("restore folder", "a f/1 f/2", 0)]
    public async Task Change_that_was_sent_is_not_cancelled(string change, string keys, int kept)
    {
        using IAmazonS3 client = await ConnectAsync();
        await using S3FileStore store = Open(client, static options =>
        {
            options.PartBytes = 5 * Mega;
            options.TrashLifetime = TimeSpan.FromDays(1);
        });
        Func<CancellationToken, Task> begin = await PrepareAsync(store, change);
        _holds = true;
        Task changing = begin(_gone.Token);
        await Task.WhenAny(_sent.Task, changing).Soon();
        await _gone.CancelAsync();
        _goesOn.SetResult();
        await changing.Soon();

        Assert.Equal(keys.Split(' '), await FilesAsync());
        Assert.Equal(kept, (await store.Trash!.ListAsync(default, default)).Entries.Count);
        Assert.Empty(await Bucket.KeysAsync(".millrace/claims/"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsTheory(Need.Ceph), InlineData("put"), InlineData("put large"), InlineData("delete")]
    public async Task Name_is_claimed_until_a_change_whose_caller_is_gone_is_done(string change)
    {
        using IAmazonS3 client = await ConnectAsync();
        await using S3FileStore store = Open(client, static options => options.PartBytes = 5 * Mega);
        await using S3FileStore other = Open();
        Func<CancellationToken, Task> begin = await PrepareAsync(store, change);
        WritePrecondition unchanged = await UnchangedAsync(other);
        _holds = true;
        Task changing = begin(_gone.Token);
        await _sent.Task.Soon();
        await _gone.CancelAsync();
        Assert.NotEmpty(await Bucket.KeysAsync(".millrace/claims/"));
        Task second = PutAsync(other, 10, unchanged, default);
        _goesOn.SetResult();
        TransferException refusal = await Assert.ThrowsAsync<TransferException>(() => second.Soon());
        Assert.Equal(TransferError.PreconditionFailed, refusal.Error);
        await changing.Soon();
    }

    [NeedsTheory(Need.Ceph), InlineData(false), InlineData(true)]
    public async Task Claim_is_not_written_after_it_was_given_back(bool isRenewal)
    {
        using IAmazonS3 client = await ConnectAsync();
        await using S3FileStore store = Open(client);
        Func<CancellationToken, Task> begin = await PrepareAsync(store, "put");
        var writing = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var written = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int claims = 0;
        _holdsClaim = () =>
        {
            if (Interlocked.Increment(ref claims) != (isRenewal ? 2 : 1))
            {
                return Task.CompletedTask;
            }

            writing.SetResult();
            return written.Task.Soon();
        };
        _holds = isRenewal;
        Task changing = begin(_gone.Token);
        await writing.Task.Soon();
        await _gone.CancelAsync();
        _goesOn.SetResult();

        // Whoever gives the claim back now does so before it is written.
        await Task.WhenAny(changing, Task.Delay(TimeSpan.FromSeconds(2)));
        Assert.False(changing.IsCompleted);
        written.SetResult();
        await (isRenewal ? changing.Soon() : Assert.ThrowsAnyAsync<OperationCanceledException>(() => changing.Soon()));
        Assert.Empty(await Bucket.KeysAsync(".millrace/claims/"));
    }

    public void Dispose() => _gone.Dispose();

    private async Task<IAmazonS3> ConnectAsync()
    {
        foreach (string key in (string[])["a", "f/1", "f/2"])
        {
            await Bucket.PutAsync(key, "old"u8.ToArray());
        }

        return Bucket.Server.Connect(config => config.HttpClientFactory = new CountedClient { Hold = HoldAsync });
    }

    /// <summary>Holds what changes a file that everybody sees.</summary>
    private Task HoldAsync(HttpRequestMessage request)
    {
        Uri url = request.RequestUri!;
        if (_holdsClaim is { } hold && request.Method == HttpMethod.Put && url.AbsolutePath.Contains("/.millrace/claims/", StringComparison.Ordinal))
        {
            return hold();
        }

        if (!_holds || request.Method == HttpMethod.Get || request.Method == HttpMethod.Head
            || url.AbsolutePath.Contains("/.millrace/", StringComparison.Ordinal)
            || url.Query == "?uploads" || url.Query.Contains("partNumber=", StringComparison.Ordinal))
        {
            return Task.CompletedTask;
        }

        _sent.TrySetResult();
        return _goesOn.Task.Soon();
    }

    private static async Task<Func<CancellationToken, Task>> PrepareAsync(S3FileStore store, string change)
    {
        WritePrecondition unchanged = await UnchangedAsync(store);
        switch (change)
        {
            case "put":
                return gone => PutAsync(store, 10, unchanged, gone);
            case "put large":
                return gone => PutAsync(store, 6 * Mega, unchanged, gone);
            case "publish":
                UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "g".Name(), Length = 6 * Mega }, default);
                await store.AppendAsync(upload.Id, 0, new byte[6 * Mega]);
                return async gone => await store.CompleteUploadAsync(upload.Id, null, gone);
            case "delete":
                return async gone => await store.DeleteAsync("a".Name(), unchanged, gone);
            case "move":
                return async gone => await store.MoveAsync("a".Name(), "b".Name(), default, gone);
            case "move over":
                return async gone => await store.MoveAsync("a".Name(), "f/1".Name(), new MoveOptions { Replace = true }, gone);
            case "copy":
                return async gone => await store.CopyAsync("a".Name(), "b".Name(), default, gone);
            case "set time":
                return async gone => await store.SetModifiedAsync("a".Name(), DateTimeOffset.UnixEpoch, unchanged, gone);
            case "create folder":
                return async gone => await store.CreateFolderAsync("g".Name(), gone);
            case "delete folder":
                return async gone => await store.DeleteFolderAsync("f".Name(), default, gone);
            default:
                await store.DeleteFolderAsync("f".Name(), default, default);
                TrashEntry entry = Assert.Single((await store.Trash!.ListAsync(default, default)).Entries);
                return async gone => await store.Trash.RestoreAsync(entry.Id, default, gone);
        }
    }

    private static async Task<WritePrecondition> UnchangedAsync(S3FileStore store) =>
        new() { Match = [(await store.FindAsync("a".Name(), DigestNeed.IfKnown, default))!.Tag] };

    private static async Task PutAsync(S3FileStore store, int length, WritePrecondition precondition, CancellationToken gone)
    {
        await using StoredFileWriter writer = await store.CreateAsync(
            "a".Name(), new CreateFileOptions { Length = length, Precondition = precondition }, default);
        await StoreCalls.WriteAsync(writer.Output, new byte[length]);
        await writer.CommitAsync(null, gone);
    }

    private async Task<IEnumerable<string>> FilesAsync() =>
        (await Bucket.KeysAsync()).Where(static key => !key.StartsWith(".millrace/", StringComparison.Ordinal));
}
