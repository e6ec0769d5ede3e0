using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// One upload of a <see cref="LocalFileStore"/>: a folder with the bytes so far (<c>data</c>) and a record (<c>state</c>).
/// There is one instance for each upload, so that all requests share its lock. Members that change it need the lock.
/// </summary>
/// <remarks>Most uploads wait for their client: the record is in memory only while a request holds the lock.</remarks>
internal sealed class LocalUpload : IDisposable
{
    private readonly LocalStore _store;
    private readonly DateTimeOffset _started;
    private TakeoverLock? _lock;
    private UploadCounts.Caller? _caller;
    private UploadRecord? _record;

    /// <param name="id">Its name.</param>
    /// <param name="record">Kept in memory until <see cref="ForgetRecord"/>.</param>
    /// <param name="started">When it was started, or last continued by an earlier process.</param>
    /// <param name="store">The store.</param>
    /// <param name="caller">Among whose uploads it counts; null if it is finished.</param>
    public LocalUpload(UploadId id, UploadRecord record, DateTimeOffset started, LocalStore store, UploadCounts.Caller? caller)
    {
        Id = id;
        _store = store;
        _record = record;
        _started = started;
        _caller = caller;
        Touched = started;
        Reservation = new Reservation(store.Limits);
        IsPublished = record.IsPublished;
        HasBytes = record.IsPublished || record.Length == 0 || record.Parts is not null;
    }

    public UploadId Id { get; }

    public string Folder => Path.Combine(_store.UploadsPath, Id.Value);

    public string DataPath => Path.Combine(Folder, "data");

    /// <summary>Changed by <see cref="SaveAsync"/>. Read from the file for those who do not hold the lock.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: it was removed.</exception>
    public UploadRecord Record => Volatile.Read(ref _record) ?? TryRead(StatePath) ?? throw Errors.NoUpload(Id);

    /// <summary>Whether it has become a file.</summary>
    public bool IsPublished { get; private set; }

    /// <summary>Whether a byte of it was received, or none is needed.</summary>
    public bool HasBytes { get; set; }

    public TransferName Name => Record.ToName();

    /// <summary>When a request last started or continued it.</summary>
    public DateTimeOffset Touched { get; private set; }

    /// <summary>Its share of the store's total.</summary>
    public Reservation Reservation { get; }

    /// <summary>The hash so far; null before the first byte, and after bytes were discarded.</summary>
    public TrailingDigest? Digest { get; private set; }

    /// <summary>Whether it was deleted while a request waited for its lock.</summary>
    public bool IsGone { get; set; }

    /// <summary>Bytes that have reached the file: its length is the only record of that.</summary>
    public long Offset
    {
        get
        {
            if (IsPublished)
            {
                return Record.Published!.Length;
            }

            var file = new FileInfo(DataPath);
            return file.Exists ? file.Length : 0;
        }
    }

    /// <summary>Whether it was not continued for too long; a request that holds it may take any time.</summary>
    public bool HasExpired => _lock is not { IsHeld: true } && Expires < Options.TimeProvider.GetUtcNow();

    private DateTimeOffset Expires =>
        UploadRules.Expires(HasBytes, _started, Touched, Options.UploadLifetime, Options.EmptyUploadLifetime);

    private LocalFileStoreOptions Options => _store.Options;

    private TakeoverLock Lock
    {
        get
        {
            if (_lock is null)
            {
                var one = new TakeoverLock(UploadRules.Patience, ForgetRecord);
                if (Interlocked.CompareExchange(ref _lock, one, null) is not null)
                {
                    one.Dispose();
                }
            }

            return _lock;
        }
    }

    private string StatePath => Path.Combine(Folder, "state");

    /// <summary>Loads an upload of an earlier process.</summary>
    /// <returns>Null when there is none, or its state cannot be read.</returns>
    public static LocalUpload? TryLoad(UploadId id, LocalStore store)
    {
        string state = Path.Combine(store.UploadsPath, id.Value, "state");
        if (TryRead(state) is not { } record)
        {
            return null;
        }

        UploadCounts.Caller? caller = record.IsPublished ? null : store.Counts.TakeExisting(record.Caller ?? record.Owner ?? "");
        var upload = new LocalUpload(id, record, new DateTimeOffset(File.GetLastWriteTimeUtc(state)), store, caller);
        try
        {
            upload.CutUnverified();
            upload.HasBytes |= upload.Offset > 0;
            return upload;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            upload.ReleaseCount();
            return null;
        }
    }

    /// <summary>It is finished, or gone: it does not count any more.</summary>
    /// <returns>Whether it counted.</returns>
    public bool ReleaseCount()
    {
        if (Interlocked.Exchange(ref _caller, null) is not { } caller)
        {
            return false;
        }

        _store.Counts.Release(caller);
        return true;
    }

    /// <summary>Leaves the record to the file.</summary>
    public void ForgetRecord() => Volatile.Write(ref _record, null);

    /// <summary>Replaces the state file atomically and durably.</summary>
    public async ValueTask SaveAsync(UploadRecord record)
    {
        FilePipeWriter writer = FilePipe.Create(
            StatePath, new FileWriteOptions { Durability = Options.Durability });
        await using (writer)
        {
            await writer.WriteAsync(JsonSerializer.SerializeToUtf8Bytes(record, ServerJson.Default.UploadRecord));
            await writer.CommitAsync();
        }

        Volatile.Write(ref _record, record);
        IsPublished = record.IsPublished;
        HasBytes |= record.IsPublished || record.Length == 0;
        Touch();
    }

    /// <summary>Before the rename: after a crash in between, bytes that are gone from here have become the file.</summary>
    /// <param name="length">Bytes of the file.</param>
    /// <param name="modified">The time that it will have, in nanoseconds since 1970.</param>
    /// <param name="digest">Its digest, if known.</param>
    public ValueTask WriteIntentAsync(long length, long modified, Sha256Digest? digest) => SaveAsync(Record with
    {
        Published = new PublishedRecord(length, modified, Tag: "", digest?.ToString()),
    });

    /// <summary>After the rename.</summary>
    public ValueTask WriteResultAsync(StoredFile file) => SaveAsync(Record with
    {
        IsPublished = true,
        Published = Record.Published! with { Tag = file.Tag.Value },
    });

    /// <summary>Saves the result that a restart found out.</summary>
    public ValueTask RecoverResultAsync(string tag) => SaveAsync(Record with
    {
        IsPublished = true,
        Published = Record.Published! with { Tag = tag },
    });

    /// <summary>Opens its data to append to it. Never committed under the name that is given here.</summary>
    public FilePipeWriter OpenData() => FilePipe.Resume(
        DataPath,
        DataPath + ".whole",
        new FileWriteOptions { Durability = Options.Durability, KeepCached = Options.ComputeSha256 || !(Record.Length > Options.MaxCachedHere) });

    /// <summary>Restarts the time after which it expires.</summary>
    public void Touch()
    {
        Touched = Options.TimeProvider.GetUtcNow();
        try
        {
            File.SetLastWriteTimeUtc(StatePath, Touched.UtcDateTime);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Only a restart would need it.
        }
    }

    /// <summary>Stops the request that holds it, and holds it then.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Superseded"/>: the holder did not let go. <see cref="TransferError.NotFound"/>: it was deleted.
    /// </exception>
    public async ValueTask<TakeoverLock.Holder> AcquireAsync(CancellationToken cancellationToken) =>
        await TryAcquireAsync(cancellationToken) ?? throw Errors.NoUpload(Id);

    /// <summary>The same; null if it was deleted.</summary>
    public async ValueTask<TakeoverLock.Holder?> TryAcquireAsync(CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await Lock.AcquireAsync(cancellationToken) ?? throw Errors.NotReleased(Id);
        if (!IsGone && TryRead(StatePath) is { } record)
        {
            // The lock is held: no other request changes the record.
            _store.Counts.CountTaken();
            Volatile.Write(ref _record, record);
            return holder;
        }

        holder.Dispose();
        return null;
    }

    /// <summary>The hash so far, to continue it; a new one if it does not fit the offset.</summary>
    public TrailingDigest ContinueDigest(long offset)
    {
        if (Digest is { } digest && digest.Hashed <= offset)
        {
            return digest;
        }

        DropDigest();
        return Digest = new TrailingDigest(Options.MaxCachedHere);
    }

    public void DropDigest()
    {
        Digest?.Dispose();
        Digest = null;
    }

    public UploadStatus ToStatus()
    {
        UploadRecord record = Record;
        StoredFile? published = record.IsPublished ? record.Published!.ToFile(record.ToName(), record.ToModified()) : null;
        return record.ToStatus(Id, published?.Length ?? Offset, published, record.Parts, Expires);
    }

    public void Dispose()
    {
        DropDigest();
        _lock?.Dispose();
    }

    /// <returns>Null when there is none that can be read.</returns>
    private static UploadRecord? TryRead(string path)
    {
        try
        {
            // The holder of the lock may replace it meanwhile.
            using var state = new FileStream(
                path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            UploadRecord? record = JsonSerializer.Deserialize(state, ServerJson.Default.UploadRecord);
            return record is { Version: UploadRecord.CurrentVersion } ? record : null;
        }
        catch (Exception exception) when (exception is IOException or JsonException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Bytes whose checksum was not checked before the process died do not count.</summary>
    private void CutUnverified()
    {
        if (Record.Verified is { } verified && File.Exists(DataPath))
        {
            using var data = new FileStream(DataPath, FileMode.Open, FileAccess.Write);
            if (data.Length > verified)
            {
                data.SetLength(verified);
            }
        }
    }
}
