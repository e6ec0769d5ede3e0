using System.Collections.Concurrent;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Uploads whose start was reported, and that expire.</summary>
public sealed class ReportedUploadTests : StoreTest
{
    private static readonly TimeSpan Lifetime = TimeSpan.FromHours(1);

    private readonly LaterClock _clock = new();
    private readonly Received _received = new();

    [Theory, EveryStore]
    public async Task Upload_that_expires_while_no_server_runs_is_reported_after_the_next_start(bool portable)
    {
        UploadId id = await StartAndExpireAsync(portable);
        LocalFileStore store = OpenStore(portable);

        // Nothing else is begun before the receiver is there.
        Assert.Equal(0, await store.ExpireUploadsAsync(default));
        Assert.Null(await store.Uploads.FindAsync(id, default));
        await using FileEvents events = await OpenEventsAsync(store);
        await store.ExpireUploadsAsync(default);
        await Bounded.UntilAsync(() => _received.Events.Any(static e => e.Kind == FileEventKind.UploadExpired));
        Assert.Equal([FileEventKind.UploadStarted, FileEventKind.UploadExpired], _received.Events.Select(static e => e.Kind));
        Assert.Single(_received.Events.Select(static e => (e.Name, e.Upload, e.Length)).Distinct());
    }

    [Theory, EveryStore]
    public async Task Upload_is_deleted_without_a_report_when_there_is_no_receiver_any_more(bool portable)
    {
        await StartAndExpireAsync(portable);
        LocalFileStore store = OpenStore(portable);
        Assert.Equal(0, await store.ExpireUploadsAsync(default));
        _clock.Advance(TimeSpan.FromMinutes(2));
        await store.ExpiresAsync(1);
        Assert.Equal([FileEventKind.UploadStarted], _received.Events.Select(static e => e.Kind));
    }

    private async Task<UploadId> StartAndExpireAsync(bool portable)
    {
        UploadId id;
        LocalFileStore store = OpenStore(portable);
        await using (FileEvents events = await OpenEventsAsync(store))
        {
            await using StoredUpload upload = await events.Store.Uploads.StartAsync(new StartUploadOptions { Name = "a".Name(), Length = 3 }, default);
            id = upload.Status.Id;
            await Bounded.UntilAsync(() => !_received.Events.IsEmpty);
        }

        await store.DisposeAsync();
        _clock.Advance(2 * Lifetime);
        return id;
    }

    private LocalFileStore OpenStore(bool portable) => Open(
        new LocalFileStoreOptions { Portable = portable, TimeProvider = _clock, UploadLifetime = Lifetime, EmptyUploadLifetime = Lifetime });

    private Task<FileEvents> OpenEventsAsync(LocalFileStore store) => FileEvents.OpenAsync(store, new FileEventOptions { Receiver = _received });

    /// <summary>Goes on as the system's does, and is set forward.</summary>
    private sealed class LaterClock : TimeProvider
    {
        private long _by;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => GetUtcNow().Ticks;

        public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + TimeSpan.FromTicks(Interlocked.Read(ref _by));

        public void Advance(TimeSpan by) => Interlocked.Add(ref _by, by.Ticks);
    }

    private sealed class Received : IFileEvents
    {
        public ConcurrentQueue<FileEvent> Events { get; } = new();

        public ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken)
        {
            Events.Enqueue(fileEvent);
            return default;
        }
    }
}
