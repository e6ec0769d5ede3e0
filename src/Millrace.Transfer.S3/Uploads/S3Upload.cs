using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <summary>
/// An upload as this server sees it. Requests of this server take turns by a lock; among servers, the one that created the highest
/// generation may change the upload. Members that change it need the lock.
/// </summary>
/// <remarks>
/// A server that takes the upload over creates its generation first and reads the state then. A server that saves writes its state
/// first and looks for a higher generation then. So either the new one reads the saved state, or the old one learns that it is
/// too late, and acknowledges nothing.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The lock's semaphore has no handle, and a request may still wait for it when the registry forgets the upload.")]
internal sealed class S3Upload(UploadId id, S3Store store)
{
    /// <summary>How long a server trusts that no other one has taken the upload over; a killed server loses at most the bytes of that time.</summary>
    public static readonly TimeSpan Watch = TimeSpan.FromSeconds(2);

    private readonly TakeoverLock _lock = new(UploadRules.Patience);
    private S3UploadWriter? _writer;
    private long _generation;
    private long _checkedAt;
    private UploadObjects? _objects;
    private UploadRecord? _record;

    public UploadId Id => id;

    public string Prefix => store.Keys.OfUpload(id);

    public bool IsHeld => _lock.IsHeld;

    /// <summary>The bytes that a request of this server has received, saved or not; 0 while there is no such request.</summary>
    public long ReceivedTo => Volatile.Read(ref _writer)?.Offset ?? 0;

    /// <summary>The state; only for who holds the lock.</summary>
    public UploadRecord Record => _record!;

    public TransferName Name => Record.ToName();

    /// <summary>The key of the object that the parts become.</summary>
    public string DataKey => Record.Name.Length == 0 ? UploadObjects.DataOf(Prefix) : store.Keys.Of(Name);

    /// <summary>Reads the state without disturbing who holds it.</summary>
    /// <returns>Null if there is none, or it has expired.</returns>
    public async ValueTask<UploadStatus?> FindAsync(CancellationToken cancellationToken)
    {
        // Between listing and reading, another server may have replaced the listed objects.
        for (int attempt = 0; attempt < 5; attempt++)
        {
            UploadObjects objects = await UploadObjects.ListAsync(store.Bucket, Prefix, cancellationToken);
            if (objects.Started is null)
            {
                return null;
            }

            if (await objects.ReadAsync(store.Bucket, cancellationToken) is { } record)
            {
                DateTimeOffset expires = objects.Expires(record.HasBytes, store.Options);
                return expires < store.Clock.Now && !IsHeld ? null : record.ToStatus(id, expires);
            }
        }

        throw S3Errors.Unavailable($"The upload {id} keeps changing. Try again later.");
    }

    /// <summary>Stops the request that holds it, on this server or another, and holds it then.</summary>
    /// <param name="evenExpired">Whether it is held to be deleted.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>, <see cref="TransferError.Superseded"/>.</exception>
    public async ValueTask<TakeoverLock.Holder> AcquireAsync(bool evenExpired, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await _lock.AcquireAsync(cancellationToken) ?? throw Errors.NotReleased(id);
        try
        {
            await ClaimAsync(cancellationToken);
            if (!evenExpired && _objects!.Expires(Record.HasBytes, store.Options) < store.Clock.Now)
            {
                throw Errors.NoUpload(id);
            }

            return holder;
        }
        catch
        {
            holder.Dispose();
            throw;
        }
    }

    /// <summary>Begins another step of the request that holds it: takes it back if another server may have it meanwhile.</summary>
    public ValueTask ConfirmAsync(CancellationToken cancellationToken) =>
        _generation != 0 && store.Options.TimeProvider.GetElapsedTime(_checkedAt) < Watch ? default : ClaimAsync(cancellationToken);

    /// <summary>Writes the first state.</summary>
    public async ValueTask StartAsync(UploadRecord record, CancellationToken cancellationToken)
    {
        _generation = 1;
        cancellationToken = cancellationToken.Begin();
        await WriteAsync(record, cancellationToken);
        await store.Bucket.WriteAsync(UploadObjects.StartOf(Prefix), default, cancellationToken);
        _record = record;
    }

    /// <summary>Saves a state, and deletes the objects that it replaces.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Superseded"/> or <see cref="TransferError.NotFound"/>: another server has taken it over, or deleted it.
    /// </exception>
    public async ValueTask SaveAsync(UploadRecord record, CancellationToken cancellationToken)
    {
        long mine = _generation;

        // Until it is known whether that was stored.
        _generation = 0;
        await WriteAsync(record, mine, cancellationToken);
        try
        {
            await CheckAsync(mine, cancellationToken);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // The server that deleted it did not know of this state, and of parts that only this one records.
            _record = record;
            await TryAsync(DeleteAsync(CancellationToken.None));
            throw;
        }

        (_generation, _record) = (mine, record);
        string generations = UploadObjects.GenerationOf(Prefix, mine);
        foreach (S3Object old in _objects!.All)
        {
            bool isOlder = old.Key.StartsWith(Prefix + "g/", StringComparison.Ordinal)
                && string.CompareOrdinal(old.Key, generations) < 0;
            bool isTail = old.Key.StartsWith(Prefix + "t/", StringComparison.Ordinal)
                && !string.Equals(old.Key, record.TailKey, StringComparison.Ordinal);
            if (isOlder || isTail)
            {
                await TryAsync(store.Bucket.DeleteAsync(old.Key, CancellationToken.None));
            }
        }
    }

    /// <summary>Makes <see cref="ReceivedTo"/> count the bytes of a writer; null after the last write.</summary>
    public void Follow(S3UploadWriter? writer) => Volatile.Write(ref _writer, writer);

    /// <summary>Throws if another server has taken the upload over.</summary>
    public ValueTask CheckAsync(CancellationToken cancellationToken) => CheckAsync(_generation, cancellationToken);

    /// <summary>A key for a tail at the end of the parts; only this generation writes it.</summary>
    public string TailKeyAt(long end) => $"{Prefix}t/{end:D16}-{_generation}";

    /// <summary>Deletes all of it, except for the file that it has become.</summary>
    public async ValueTask DeleteAsync(CancellationToken cancellationToken)
    {
        UploadRecord record = Record;
        await store.Bucket.DeleteAsync(UploadObjects.StartOf(Prefix), cancellationToken);
        if (record is { MultipartId: { } multipart, Published: null })
        {
            await store.Bucket.AbortAsync(DataKey, multipart, cancellationToken);
        }

        foreach (S3Object old in (await UploadObjects.ListAsync(store.Bucket, Prefix, cancellationToken)).All)
        {
            await store.Bucket.DeleteAsync(old.Key, cancellationToken);
        }

        _generation = 0;
    }

    public UploadStatus ToStatus()
    {
        DateTimeOffset now = store.Clock.Now;
        return Record.ToStatus(id, _objects is { Started: not null } objects
            ? objects.Expires(Record.HasBytes, store.Options)
            : UploadRules.Expires(Record.HasBytes, now, now, store.Options.UploadLifetime, store.Options.EmptyUploadLifetime));
    }

    /// <summary>Opens it at its offset. Bytes after its last whole part are read back.</summary>
    public async ValueTask<(Multipart Multipart, PartWriter Body)> OpenAsync(long limit, CancellationToken cancellationToken)
    {
        UploadRecord record = Record;
        var multipart = new Multipart(store.Bucket, DataKey, record.FileVersion, record.ToModified(), record.MultipartId, isExecutable: record.IsExecutable == true);
        var body = new PartWriter(
            store.Memory, new PartPlan(record.PartBytes, PartPlan.MaxPartBytes(store.Options)), multipart, Name, record.ToProgress(),
            record.Length, limit, store.Quota);
        try
        {
            if (record.TailKey is { } key)
            {
                PartBuffer tail = await body.StartTailAsync(record.TailBytes, cancellationToken);
                await store.FillAsync(tail, key, tag: null, record.TailBytes, cancellationToken);
                body.AddTail();
            }

            return (multipart, body);
        }
        catch
        {
            await body.DisposeAsync();
            throw;
        }
    }

    private async ValueTask ClaimAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            _checkedAt = store.Options.TimeProvider.GetTimestamp();
            UploadObjects objects = await UploadObjects.ListAsync(store.Bucket, Prefix, cancellationToken);
            _objects = objects;
            if (objects.Started is null)
            {
                throw Errors.NoUpload(id);
            }

            if (_generation != 0 && _generation == objects.Highest)
            {
                return;
            }

            _generation = 0;
            long next = objects.Highest + 1;
            if (await store.Bucket.TryCreateAsync(UploadObjects.GenerationOf(Prefix, next), default, cancellationToken)
                && await objects.ReadAsync(store.Bucket, cancellationToken) is { } record)
            {
                (_generation, _record) = (next, record);
                return;
            }
        }
    }

    private async ValueTask CheckAsync(long mine, CancellationToken cancellationToken)
    {
        long now = store.Options.TimeProvider.GetTimestamp();
        _objects = await UploadObjects.ListAsync(store.Bucket, Prefix, cancellationToken);
        if (_objects.Started is null)
        {
            throw Errors.NoUpload(id);
        }

        if (_objects.Highest > mine)
        {
            throw S3Errors.Superseded(id);
        }

        _checkedAt = now;
    }

    private ValueTask WriteAsync(UploadRecord record, CancellationToken cancellationToken) =>
        WriteAsync(record, _generation, cancellationToken);

    private ValueTask WriteAsync(UploadRecord record, long generation, CancellationToken cancellationToken) => store.Bucket.WriteAsync(
        UploadObjects.GenerationOf(Prefix, generation),
        JsonSerializer.SerializeToUtf8Bytes(record, S3Json.Default.UploadRecord),
        cancellationToken);

    private static async ValueTask TryAsync(ValueTask deleting)
    {
        try
        {
            await deleting;
        }
        catch (TransferException)
        {
            // The next save, the upload's end or the upkeep does it.
        }
    }
}
