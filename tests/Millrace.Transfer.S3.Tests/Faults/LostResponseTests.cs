using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>
/// A request to the bucket that was cut off may have been executed or not: no name stays claimed or locked after it, and the trash has no file that
/// was not deleted.
/// </summary>
public sealed class LostResponseTests : BucketTest
{
    private const string Claims = "/events/claims/";
    private const string Locks = "/documents/locks";

    [NeedsFact(Need.Ceph)]
    public async Task Write_that_is_cancelled_while_its_name_is_claimed_leaves_no_claim()
    {
        (CountedClient held, Task claimed, TaskCompletionSource goesOn) = HoldResponseOf(Claims);
        using IAmazonS3 client = Connect(held);
        await using S3FileStore store = Open(client);
        await using FileEvents events = await FileEvents.OpenAsync(store, new FileEventOptions { Receiver = new Received() });
        await using StoredFileWriter writer = await events.Store.CreateAsync("a".Name(), new CreateFileOptions { Length = 0 }, default);
        using var cancels = new CancellationTokenSource();
        Task<StoredFile> writing = writer.CommitAsync(null, cancels.Token).AsTask();
        await claimed.Soon();
        await cancels.CancelAsync();
        goesOn.SetResult();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writing.Soon());
        Assert.Empty(await ClaimsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Claim_whose_response_is_lost_is_known_as_ones_own()
    {
        int lost = 0;
        var losing = new CountedClient
        {
            HoldResponse = request => Is(request, "PUT", Claims) && Interlocked.Increment(ref lost) == 1
                ? Task.FromException(new HttpRequestException("lost"))
                : Task.CompletedTask,
        };
        using IAmazonS3 client = Connect(losing);
        await using S3FileStore store = Open(client);
        var received = new Received();
        await using FileEvents events = await FileEvents.OpenAsync(store, new FileEventOptions { Receiver = received });
        await events.Store.PutAsync("a", "1"u8.ToArray()).Soon();
        Assert.Equal(2, lost);
        Assert.Empty(await ClaimsAsync());
        await Bounded.UntilAsync(() => !received.Events.IsEmpty);
        Assert.Equal([FileEventKind.Created], received.Kinds);
    }

    /// <param name="method">The first request that the bucket does not answer, nor any later one; a PUT is executed.</param>
    /// <param name="part">A part of its path.</param>
    /// <param name="isMade">Whether the change is made before.</param>
    [NeedsTheory(Need.Ceph)]
    [InlineData("PUT", Claims, false)]
    [InlineData("PUT", "/a", false)]
    [InlineData("PUT", "/events/queue/", true)]
    [InlineData("DELETE", Claims, true)]
    public async Task Name_is_free_again_when_the_bucket_is_back(string method, string part, bool isMade)
    {
        bool isAway = false;
        bool isBack = false;
        var away = new CountedClient
        {
            Answer = request =>
            {
                if (method != "PUT" && Is(request, method, part))
                {
                    Volatile.Write(ref isAway, true);
                }

                return Volatile.Read(ref isAway) && !Volatile.Read(ref isBack) ? new HttpResponseMessage(HttpStatusCode.ServiceUnavailable) : null;
            },
            HoldResponse = request =>
            {
                if (Volatile.Read(ref isBack) || method != "PUT" || !Is(request, method, part))
                {
                    return Task.CompletedTask;
                }

                Volatile.Write(ref isAway, true);
                return Task.FromException(new HttpRequestException("lost"));
            },
        };
        using IAmazonS3 client = Connect(away, retries: 0);
        await using S3FileStore store = Open(client);
        var received = new Received();
        await using FileEvents events = await FileEvents.OpenAsync(store, new FileEventOptions { Receiver = received });
        Task<StoredFile> putting = events.Store.PutAsync("a", "1"u8.ToArray());
        if (isMade)
        {
            await putting.Soon();
        }
        else
        {
            await Assert.ThrowsAsync<TransferException>(() => putting.Soon());
        }

        Assert.True(Volatile.Read(ref isAway));
        Volatile.Write(ref isBack, true);
        await Bounded.UntilAsync(async () => (await ClaimsAsync()).Count == 0);
        await events.Store.PutAsync("a", "22"u8.ToArray()).Soon();
        FileEventKind[] expected = part == Claims && !isMade ? [FileEventKind.Created] : [FileEventKind.Created, FileEventKind.Replaced];
        await Bounded.UntilAsync(() => received.Kinds.Count() >= expected.Length);
        Assert.Equal(expected, received.Kinds);
    }

    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task Lock_whose_client_is_gone_before_it_has_the_token_is_not_granted(bool isUsed)
    {
        (CountedClient held, Task granted, TaskCompletionSource goesOn) = HoldResponseOf(Locks);
        var gone = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using IAmazonS3 client = Connect(held);
        await using S3FileStore store = Open(client);
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new());
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        builder.Services.AddRoutingCore();
        builder.Services.AddMillraceTransfer(static access => access.OpenWithoutTokens = true);
        await using WebApplication server = builder.Build();
        server.Use(async (context, next) =>
        {
            using CancellationTokenRegistration aborted = context.RequestAborted.Register(() => gone.TrySetResult());
            try
            {
                await next(context);
            }
            finally
            {
                gone.TrySetResult();
                ended.TrySetResult();
            }
        });
        server.MapMillraceFiles("/files", store);
        await server.StartAsync();
        if (isUsed)
        {
            await Bucket.PutAsync("a", "old"u8.ToArray());
        }

        using var http = new HttpClient { BaseAddress = new Uri(server.Urls.Single()) };
        using var leaves = new CancellationTokenSource();
        Task<HttpResponseMessage> locking = http.SendAsync(Lock(), leaves.Token);
        await granted.Soon();
        await leaves.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => locking);
        await gone.Task.Soon();
        goesOn.SetResult();
        await ended.Task.Soon();
        Assert.Equal(isUsed ? ["a"] : [], await Bucket.VisibleAsync());
        using HttpResponseMessage locked = await http.SendAsync(Lock());
        Assert.Equal(isUsed ? HttpStatusCode.OK : HttpStatusCode.Created, locked.StatusCode);

        static HttpRequestMessage Lock() => new(new HttpMethod("LOCK"), new Uri("/files/a", UriKind.Relative))
        {
            Content = new StringContent(
                "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>"),
        };
    }

    [NeedsFact(Need.Ceph)]
    public async Task File_that_cannot_be_copied_to_the_trash_is_not_in_it()
    {
        var refusing = new CountedClient
        {
            Answer = static request => request.Headers.Contains("x-amz-copy-source")
                ? new HttpResponseMessage(HttpStatusCode.Forbidden) { Content = new StringContent("<Error><Code>AccessDenied</Code></Error>") }
                : null,
        };
        using IAmazonS3 client = Connect(refusing);
        await using S3FileStore store = Open(client, static options => options.TrashLifetime = TimeSpan.FromDays(1));
        await Bucket.PutAsync("a", "old"u8.ToArray());
        await Assert.ThrowsAsync<TransferException>(async () => await store.DeleteAsync("a".Name(), default, default));
        Assert.Empty(await Bucket.KeysAsync(".millrace/trash/"));
        Assert.Equal(["a"], await Bucket.VisibleAsync());
    }

    /// <summary>Holds the response to the first PUT of an object.</summary>
    private static (CountedClient Client, Task Executed, TaskCompletionSource GoesOn) HoldResponseOf(string part)
    {
        var executed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goesOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var held = new CountedClient
        {
            HoldResponse = request => Is(request, "PUT", part) && executed.TrySetResult() ? goesOn.Task.Soon() : Task.CompletedTask,
        };
        return (held, executed.Task, goesOn);
    }

    private static bool Is(HttpRequestMessage request, string method, string part) =>
        request.Method.Method == method && request.RequestUri!.AbsolutePath is { } path
        && (part == "/a" ? path.EndsWith(part, StringComparison.Ordinal) : path.Contains(part, StringComparison.Ordinal));

    private IAmazonS3 Connect(CountedClient through, int? retries = null) => Bucket.Server.Connect(config =>
    {
        config.HttpClientFactory = through;
        config.MaxErrorRetry = retries ?? config.MaxErrorRetry;
    });

    private async Task<IReadOnlyList<string>> ClaimsAsync() =>
        [.. (await Bucket.KeysAsync()).Where(static key => key.Contains(Claims, StringComparison.Ordinal))];

    private sealed class Received : IFileEvents
    {
        public ConcurrentQueue<FileEvent> Events { get; } = new();

        /// <summary>In their order, without duplicates.</summary>
        public IEnumerable<FileEventKind> Kinds => Events.DistinctBy(static one => one.Id).Select(static one => one.Kind);

        public ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken)
        {
            Events.Enqueue(fileEvent);
            return default;
        }
    }
}
