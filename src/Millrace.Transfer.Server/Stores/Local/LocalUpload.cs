using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// One upload of a <see cref="LocalFileStore"/>: a folder with the bytes so far (<c>data</c>) and a record (<c>state</c>).
/// There is one instance for each upload, so that all requests share its lock. Members that change it need the lock.
/// </summary>
internal sealed class LocalUpload : IDisposable
{
    /// <summary>How long a request waits for the one from which it takes over the upload.</summary>
    /// <remarks>The other one only has to finish a write; a device that takes longer is broken.</remarks>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly TakeoverLock _lock = new(Patience);
    private readonly LocalFileStoreOptions _options;

    public LocalUpload(
        UploadId id, string folder, UploadRecord record, DateTimeOffset touched, LocalFileStoreOptions options,
        Reservation reservation)
    {
        Id = id;
        Folder = folder;
        Record = record;
        Touched = touched;
        Reservation = reservation;
        _options = options;
    }

    public UploadId Id { get; }

    public string Folder { get; }

    public string DataPath => Path.Combine(Folder, "data");

    /// <summary>Changed by <see cref="SaveAsync"/>.</summary>
    public UploadRecord Record { get; private set; }

    public TransferName Name => Record.ToName();

    /// <summary>When a request last started or continued it.</summary>
    public DateTimeOffset Touched { get; private set; }

    /// <summary>Its share of the store's total.</summary>
    public Reservation Reservation { get; }

    /// <summary>The hash so far; null before the first byte, and after bytes were discarded.</summary>
    public TrailingDigest? Digest { get; private set; }

    /// <summary>Whether it was deleted while somebody waited for its lock.</summary>
    public bool IsGone { get; set; }

    /// <summary>Bytes that have reached the file: its length is the only record of that.</summary>
    public long Offset
    {
        get
        {
            if (Record.IsPublished)
            {
                return Record.Published!.Length;
            }

            var file = new FileInfo(DataPath);
            return file.Exists ? file.Length : 0;
        }
    }

    /// <summary>Whether nobody has continued it for too long; a request that holds it may take any time.</summary>
    public bool HasExpired => !_lock.IsHeld && Touched + _options.UploadLifetime < _options.Clock.GetUtcNow();

    private string StatePath => Path.Combine(Folder, "state");

    /// <summary>Loads an upload of an earlier process.</summary>
    /// <returns>Null when there is none, or its state cannot be read.</returns>
    public static LocalUpload? TryLoad(UploadId id, string folder, LocalFileStoreOptions options, Reservation reservation)
    {
        string state = Path.Combine(folder, "state");
        if (!File.Exists(state))
        {
            return null;
        }

        try
        {
            UploadRecord? record = JsonSerializer.Deserialize(File.ReadAllBytes(state), ServerJson.Default.UploadRecord);
            if (record is not { Version: UploadRecord.CurrentVersion })
            {
                return null;
            }

            var touched = new DateTimeOffset(File.GetLastWriteTimeUtc(state));
            var upload = new LocalUpload(id, folder, record, touched, options, reservation);
            upload.CutUnverified();
            return upload;
        }
        catch (Exception exception) when (exception is IOException or JsonException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Replaces the state file atomically and durably.</summary>
    public async ValueTask SaveAsync(UploadRecord record)
    {
        FilePipeWriter writer = FilePipe.Create(
            StatePath, new FileWriteOptions { Durability = _options.Durability });
        await using (writer)
        {
            await writer.WriteAsync(JsonSerializer.SerializeToUtf8Bytes(record, ServerJson.Default.UploadRecord));
            await writer.CommitAsync();
        }

        Record = record;
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

    /// <summary>Sets the result that a restart found out. Not saved: the next restart finds the same.</summary>
    public void RecoverResult(string tag) => Record = Record with
    {
        IsPublished = true,
        Published = Record.Published! with { Tag = tag },
    };

    /// <summary>Restarts the time after which it expires.</summary>
    public void Touch()
    {
        Touched = _options.Clock.GetUtcNow();
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
    /// <see cref="TransferError.TakenOver"/>: the holder did not let go. <see cref="TransferError.NotFound"/>: it was deleted.
    /// </exception>
    public async ValueTask<TakeoverLock.Holder> AcquireAsync(CancellationToken cancellationToken) =>
        await TryAcquireAsync(cancellationToken) ?? throw Errors.NoUpload(Id);

    /// <summary>The same; null if it was deleted.</summary>
    public async ValueTask<TakeoverLock.Holder?> TryAcquireAsync(CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await _lock.AcquireAsync(cancellationToken)
            ?? throw new TransferException(
                TransferError.TakenOver,
                $"Another request holds the upload '{Id}' and did not let go of it in {Patience.TotalSeconds} s. Try again later.")
            {
                RetryAfter = TimeSpan.FromSeconds(1),
            };
        if (IsGone)
        {
            holder.Dispose();
            return null;
        }

        return holder;
    }

    /// <summary>The hash so far, to continue it; a new one if it does not fit the offset.</summary>
    public TrailingDigest ContinueDigest(long offset)
    {
        if (Digest is { } digest && digest.Hashed <= offset)
        {
            return digest;
        }

        DropDigest();
        return Digest = new TrailingDigest();
    }

    public void DropDigest()
    {
        Digest?.Dispose();
        Digest = null;
    }

    public UploadStatus ToStatus() => new()
    {
        Id = Id,
        Name = Name,
        Offset = Offset,
        Length = Record.Length,
        Published = Record.IsPublished ? Record.Published!.ToFile(Name) : null,
        Precondition = Record.ToPrecondition(),
        Metadata = Record.Metadata,
        Expected = Record.ToExpected(),
        Owner = Record.Owner,
        Parts = Record.Parts is { } parts ? [.. parts.Select(ParsePart)] : null,
        Expires = Touched + _options.UploadLifetime,
    };

    public void Dispose()
    {
        DropDigest();
        _lock.Dispose();
    }

    /// <summary>Bytes whose checksum nobody had checked when the process died do not count.</summary>
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

    private static UploadId ParsePart(string text) =>
        UploadId.TryParse(text, out UploadId id) ? id : throw new FormatException($"'{text}' is not the id of an upload.");
}
