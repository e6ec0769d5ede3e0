using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// The outbox of a store that several servers may use at once, in its documents. A claim of each name keeps the intent, and holds other
/// servers off until it is settled. One server, which has the lease, delivers the events of all, and settles the claims of servers that died.
/// Thread-safe.
/// </summary>
/// <remarks><c>events/claims/NAME</c> has an intent, <c>events/queue/NAME/STAMP-ID</c> an event that waits; NAME is a hash. See <see cref="BucketLease"/>.</remarks>
internal sealed class BucketEventOutbox(
    IStoreDocuments documents, FileEventOptions options, TransferMeter meter, TimeProvider clock, ILogger logger) : EventOutbox
{
    private const string Claims = "events/claims/";
    private const string Queue = "events/queue/";

    /// <summary>Events that the delivering server keeps in memory, at most.</summary>
    private const int MaxLoaded = 1000;

    /// <summary>Events that are read at once.</summary>
    private const int MaxReads = 16;

    private static readonly TimeSpan Poll = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan MaxClaimWait = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan ClaimPoll = TimeSpan.FromMilliseconds(200);

    private readonly BucketLease _lease = new(documents);
    private readonly SemaphoreSlim _wake = new(0, 1);

    /// <summary>Claims of this server that could not be settled, with what finds out whether it has happened.</summary>
    private readonly ConcurrentQueue<(EventRecord Begun, Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> HasHappened)> _left = new();
    private readonly CancellationTokenSource _end = new();
    private Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> _hasHappened = static (_, _) => default;
    private Task _running = Task.CompletedTask;
    private Task _renewing = Task.CompletedTask;
    private volatile EventDelivery? _delivery;
    private long _queued;

    public override async ValueTask StartAsync(
        Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> hasHappened, CancellationToken cancellationToken)
    {
        _hasHappened = hasHappened;
        await _lease.LiveAsync(cancellationToken);
        _renewing = Task.Run(() => RepeatAsync(RenewAsync, BucketLease.Renewal, wakes: false), CancellationToken.None);
        _running = Task.Run(() => RepeatAsync(WorkAsync, Poll, wakes: true), CancellationToken.None);
    }

    public override async ValueTask<(EventRecord Begun, Task Recorded)> RecordAsync(
        EventRecord record, Func<CancellationToken, ValueTask<string?>> identify, bool isForced, CancellationToken cancellationToken)
    {
        if (!isForced && options.WhenFull == FullOutbox.Refuse && Interlocked.Read(ref _queued) >= options.MaxPending)
        {
            throw Full(record);
        }

        long began = Environment.TickCount64;
        record = record with { Time = clock.GetUtcNow().ToUnixTimeMilliseconds(), Server = _lease.Server };
        EventRecord begun = At(record, await identify(cancellationToken));
        string[] keys = ClaimsOf(begun);
        var versions = new string[keys.Length];
        int claimed = 0;
        try
        {
            while (claimed < keys.Length)
            {
                if (await documents.TryWriteAsync(keys[claimed], Content(begun), version: null, isDurable: true, cancellationToken) is { } version)
                {
                    versions[claimed++] = version;
                    continue;
                }

                if (Environment.TickCount64 - began > MaxClaimWait.TotalMilliseconds)
                {
                    throw new TransferException(
                        TransferError.Failed, $"Another server changes '{record.Name}' and does not end. Try again later.", record.Name)
                    {
                        Status = StatusCodes.Status503ServiceUnavailable,
                    };
                }

                await Task.Delay(ClaimPoll, cancellationToken);
            }

            EventRecord now = At(record, await identify(cancellationToken));
            if (now != begun)
            {
                // Another server was faster.
                for (int i = 0; i < keys.Length; i++)
                {
                    await documents.TryWriteAsync(keys[i], Content(now), versions[i], isDurable: true, cancellationToken);
                }
            }

            return (now, Task.CompletedTask);
        }
        catch
        {
            // The claim that failed may be in the bucket, too.
            await TrySettleAsync(begun, static (_, _) => default, CancellationToken.None);
            throw;
        }
    }

    /// <remarks>If the bucket cannot be reached, later: the change was made, and its name stays claimed until then.</remarks>
    public override async ValueTask SettleAsync(EventRecord begun, EventRecord? happened)
    {
        try
        {
            if (happened is not null)
            {
                await EnqueueAsync(happened, CancellationToken.None);
                happened = null;
            }

            foreach (string key in ClaimsOf(begun))
            {
                await documents.DeleteAsync(key, CancellationToken.None);
            }
        }
        catch (IOException)
        {
            _left.Enqueue((begun, (_, _) => new(happened)));
        }

        Wake();
    }

    public override void Leave(EventRecord begun) => _left.Enqueue((begun, _hasHappened));

    public override async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_running, _renewing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_delivery is { } delivery)
        {
            await delivery.DisposeAsync();
        }

        await _lease.ReleaseAsync();
        _end.Dispose();
        _wake.Dispose();
        await base.DisposeAsync();
    }

    /// <summary>The key of an event: it follows all waiting events of its names.</summary>
    private async ValueTask EnqueueAsync(EventRecord happened, CancellationToken cancellationToken)
    {
        long stamp = clock.GetUtcNow().ToUnixTimeMilliseconds();
        string[] names = HashesOf(happened);
        foreach (string name in names)
        {
            await foreach (string key in documents.ListAsync($"{Queue}{name}/", cancellationToken))
            {
                stamp = Math.Max(stamp, StampOf(key) + 1);
            }
        }

        // That of a moved file waits under its old name, too, so that the next event of that one comes after it.
        for (int i = names.Length - 1; i >= 0; i--)
        {
            await documents.TryWriteAsync(
                string.Create(CultureInfo.InvariantCulture, $"{Queue}{names[i]}/{stamp:x12}-{happened.Id}{(i > 0 ? "-from" : "")}"),
                Content(happened), version: null, isDurable: true, cancellationToken);
        }

        Interlocked.Increment(ref _queued);
    }

    private async ValueTask WorkAsync()
    {
        for (int left = _left.Count; left > 0 && _left.TryDequeue(out var one) && await TrySettleAsync(one.Begun, one.HasHappened, _end.Token); left--)
        {
        }

        if (!_lease.IsMine)
        {
            if (_delivery is { } old)
            {
                _delivery = null;
                await old.DisposeAsync();
            }

            await _lease.ObserveAsync(_end.Token);
            return;
        }

        await SettleDeadAsync();
        var keys = new List<string>();
        await foreach (string key in documents.ListAsync(Queue, _end.Token))
        {
            if (!key.EndsWith("-from", StringComparison.Ordinal))
            {
                keys.Add(key);
            }
        }

        keys.Sort(static (one, other) => StampOf(one).CompareTo(StampOf(other)));
        Interlocked.Exchange(ref _queued, keys.Count);
        if (options.WhenFull == FullOutbox.Drop && keys.Count > options.MaxPending)
        {
            await DropAsync(keys);
        }

        if (_delivery is null)
        {
            EventDelivery delivery = new(options, meter, clock, logger) { Delivered = DeliveredAsync };
            delivery.Start();
            _delivery = delivery;
        }

        HashSet<string> loaded = [.. _delivery.Snapshot().Select(static record => record.Id)];
        foreach (string[] some in keys.Where(key => !loaded.Contains(IdOf(key))).Take(MaxLoaded - loaded.Count).Chunk(MaxReads))
        {
            foreach (EventRecord? record in await Task.WhenAll(some.Select(ReadAsync)))
            {
                if (record is not null)
                {
                    _delivery.Add(record);
                }
            }
        }
    }

    private async Task<EventRecord?> ReadAsync(string key) =>
        await documents.ReadAsync(key, _end.Token) is { } document && Parse(document) is { } record ? record with { Key = key } : null;

    private async ValueTask DeliveredAsync(EventRecord record)
    {
        await DeleteAsync(record, record.Key!);
        Interlocked.Decrement(ref _queued);
        if (_delivery?.Count is <= MaxLoaded / 2)
        {
            Wake();
        }
    }

    private async ValueTask DeleteAsync(EventRecord record, string key)
    {
        // The entry itself last: without it, the other one would never be found.
        foreach (string from in HashesOf(record).Skip(1))
        {
            await documents.DeleteAsync($"{Queue}{from}/{key[(key.LastIndexOf('/') + 1)..]}-from", CancellationToken.None);
        }

        await documents.DeleteAsync(key, CancellationToken.None);
    }

    /// <summary>A server that has died or lost the bucket while it added an event may have left the entry of the old name.</summary>
    private async ValueTask DeleteRemainsAsync(EventRecord record, CancellationToken cancellationToken)
    {
        foreach (string from in HashesOf(record).Skip(1))
        {
            await foreach (string key in documents.ListAsync($"{Queue}{from}/", cancellationToken))
            {
                if (IdOf(key) == record.Id + "-from")
                {
                    await documents.DeleteAsync(key, cancellationToken);
                }
            }
        }
    }

    private async ValueTask DropAsync(List<string> keys)
    {
        HashSet<string> loaded = [.. _delivery?.Snapshot().Select(static record => record.Id) ?? []];
        long dropped = 0;
        long excess = keys.Count - options.MaxPending;
        foreach (string key in keys.ToList())
        {
            if (dropped == excess)
            {
                break;
            }

            if (!loaded.Contains(IdOf(key)) && await documents.ReadAsync(key, _end.Token) is { } document && Parse(document) is { Kind: not FileEventKind.Dropped } record)
            {
                await DeleteAsync(record, key);
                keys.Remove(key);
                meter.Event("dropped");
                dropped++;
            }
        }

        if (dropped > 0)
        {
            logger.EventsDropped(options.MaxPending);
            await EnqueueAsync(
                FileEvents.New(FileEventKind.Dropped, default, by: null) with { Dropped = dropped, Time = clock.GetUtcNow().ToUnixTimeMilliseconds() },
                _end.Token);
        }
    }

    /// <summary>Settles the claims of servers that have died.</summary>
    private async ValueTask SettleDeadAsync()
    {
        HashSet<string> living = await _lease.FindLivingAsync(_end.Token);
        var claims = new List<string>();
        await foreach (string key in documents.ListAsync(Claims, _end.Token))
        {
            claims.Add(key);
        }

        foreach (string key in claims)
        {
            if (await documents.ReadAsync(key, _end.Token) is { } document && Parse(document) is { } record
                && !living.Contains(record.Server ?? "") && !await _lease.HasStartedAsync(record.Server, _end.Token))
            {
                await SettleAgainAsync(record, _hasHappened, _end.Token);
            }
        }
    }

    /// <summary>Settles a change of this server, now or later.</summary>
    /// <returns>Whether the bucket could be reached.</returns>
    private async ValueTask<bool> TrySettleAsync(
        EventRecord begun, Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> hasHappened, CancellationToken cancellationToken)
    {
        try
        {
            await SettleAgainAsync(begun, hasHappened, cancellationToken);
            return true;
        }
        catch (Exception exception) when (exception is IOException or JsonException)
        {
            _left.Enqueue((begun, hasHappened));
            return false;
        }
    }

    /// <summary>Settles a change whose claims may be in the bucket or not, or another change's by now, and whose event may wait already.</summary>
    private async ValueTask SettleAgainAsync(
        EventRecord begun, Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> hasHappened, CancellationToken cancellationToken)
    {
        var claims = new List<string>();
        foreach (string key in ClaimsOf(begun))
        {
            if (await documents.ReadAsync(key, cancellationToken) is { } document && Parse(document) is { } claim
                && (claim.Id, claim.Server, claim.Time) == (begun.Id, begun.Server, begun.Time))
            {
                claims.Add(key);
            }
        }

        if (claims.Count == 0)
        {
            return;
        }

        bool waits = false;
        await foreach (string queued in documents.ListAsync($"{Queue}{HashesOf(begun)[0]}/", cancellationToken))
        {
            waits |= IdOf(queued) == begun.Id;
        }

        if (!waits)
        {
            await DeleteRemainsAsync(begun, cancellationToken);
            if (await hasHappened(begun, cancellationToken) is { } happened)
            {
                await EnqueueAsync(happened, cancellationToken);
            }
        }

        foreach (string key in claims)
        {
            await documents.DeleteAsync(key, cancellationToken);
        }

        Wake();
    }

    private async ValueTask RenewAsync()
    {
        if (await _lease.RenewAsync(Interlocked.Read(ref _queued), _end.Token) is { } queued)
        {
            Interlocked.Exchange(ref _queued, queued);
        }

        if (_lease.IsMine)
        {
            Wake();
        }
    }

    private async Task RepeatAsync(Func<ValueTask> work, TimeSpan period, bool wakes)
    {
        while (!_end.IsCancellationRequested)
        {
            try
            {
                await work();
            }
            catch (Exception exception) when (exception is IOException or JsonException)
            {
                // The bucket cannot be reached; the next time tries again.
            }

            if (wakes)
            {
                await _wake.WaitAsync(period, _end.Token);
            }
            else
            {
                await Task.Delay(period, _end.Token);
            }
        }
    }

    private void Wake()
    {
        try
        {
            _wake.Release();
        }
        catch (Exception exception) when (exception is SemaphoreFullException or ObjectDisposedException)
        {
            // It wakes already, or has ended.
        }
    }

    private ReadOnlyMemory<byte> Content(EventRecord record) =>
        JsonSerializer.SerializeToUtf8Bytes(record with { Server = _lease.Server, Key = null }, ServerJson.Default.EventRecord);

    private static EventRecord? Parse(StoreDocument document) => JsonSerializer.Deserialize(document.Content.Span, ServerJson.Default.EventRecord);

    private static string[] ClaimsOf(EventRecord record)
    {
        // In the same order for every server.
        string[] keys = [.. HashesOf(record).Select(static hash => Claims + hash)];
        Array.Sort(keys, StringComparer.Ordinal);
        return keys;
    }

    /// <summary>The hash of its name, and that of its former name.</summary>
    private static string[] HashesOf(EventRecord record) =>
        record.From is { } from && from != record.Name ? [Hash(record.Name, record.Upload), Hash(from, null)] : [Hash(record.Name, record.Upload)];

    private static string Hash(string name, string? upload) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(upload is null ? name : $"{name}\n{upload}")))[..32];

    private static long StampOf(string key)
    {
        int begin = key.LastIndexOf('/') + 1;
        int end = key.IndexOf('-', begin);
        return end > begin && long.TryParse(key.AsSpan(begin, end - begin), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out long stamp) ? stamp : 0;
    }

    private static string IdOf(string key)
    {
        int begin = key.IndexOf('-', key.LastIndexOf('/') + 1) + 1;
        return key[begin..];
    }
}
