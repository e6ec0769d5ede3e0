using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// One upload of a <see cref="LocalFileStore"/>: a folder with what has arrived (<c>data</c>) and what is known about it
/// (<c>state</c>). One instance an upload, so that its lock is everybody's. What changes it is called by who holds it.
/// </summary>
internal sealed class LocalUpload : IDisposable
{
    /// <summary>How long a request waits for the one that it takes an upload over from.</summary>
    /// <remarks>That one only has to finish a write; a device that takes longer than this is broken.</remarks>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _alone = new(1, 1);
    private readonly Lock _gate = new();
    private readonly LocalFileStoreOptions _options;
    private CancellationTokenSource? _holder;
    private int _waiting;

    public LocalUpload(UploadId id, string folder, UploadRecord record, DateTimeOffset touched, LocalFileStoreOptions options)
    {
        Id = id;
        Folder = folder;
        Record = record;
        Touched = touched;
        _options = options;
    }

    public UploadId Id { get; }

    public string Folder { get; }

    /// <summary>Bytes that have arrived.</summary>
    public string DataPath => Path.Combine(Folder, "data");

    /// <summary>What is known about it; changed by <see cref="SaveAsync"/>.</summary>
    public UploadRecord Record { get; private set; }

    /// <summary>When somebody last began or continued it.</summary>
    public DateTimeOffset Touched { get; private set; }

    /// <summary>Bytes that were taken of the store's whole for it.</summary>
    public long Taken { get; set; }

    /// <summary>What has been hashed of it so far; null before the first byte, and after bytes were taken back.</summary>
    public TrailingDigest? Digest { get; set; }

    /// <summary>Whether it was thrown away while somebody waited for it.</summary>
    public bool IsGone { get; set; }

    /// <summary>Bytes that have reached the file.</summary>
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

    public bool HasExpired => Touched + _options.UploadLifetime < _options.Clock.GetUtcNow();

    private string StatePath => Path.Combine(Folder, "state");

    /// <summary>Finds one of an earlier process.</summary>
    /// <returns>Null when there is none, or its state cannot be read.</returns>
    public static LocalUpload? TryLoad(UploadId id, string folder, LocalFileStoreOptions options)
    {
        string state = Path.Combine(folder, "state");
        if (!File.Exists(state))
        {
            return null;
        }

        try
        {
            UploadRecord? record = JsonSerializer.Deserialize(File.ReadAllBytes(state), UploadJson.Default.UploadRecord);
            if (record is not { Version: UploadRecord.CurrentVersion })
            {
                return null;
            }

            var upload = new LocalUpload(id, folder, record, new DateTimeOffset(File.GetLastWriteTimeUtc(state)), options);
            upload.CutUnverified();
            return upload;
        }
        catch (Exception exception) when (exception is IOException or JsonException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Replaces the state in one step, and durably.</summary>
    public async ValueTask SaveAsync(UploadRecord record)
    {
        FilePipeWriter writer = FilePipe.Create(
            StatePath, new FileWriteOptions { Durability = _options.Durability, Portable = _options.Portable });
        await using (writer.ConfigureAwait(false))
        {
            await writer
                .WriteAsync(JsonSerializer.SerializeToUtf8Bytes(record, UploadJson.Default.UploadRecord))
                .ConfigureAwait(false);
            await writer.CommitAsync().ConfigureAwait(false);
        }

        Record = record;
        Touch();
    }

    /// <summary>What was found out about it; the state file says enough to find it out again.</summary>
    public void Assume(UploadRecord record) => Record = record;

    /// <summary>Begins its time to live anew.</summary>
    public void Touch()
    {
        Touched = _options.Clock.GetUtcNow();
        try
        {
            File.SetLastWriteTimeUtc(StatePath, Touched.UtcDateTime);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Only a restart would not know of it.
        }
    }

    /// <summary>Stops whoever holds it, and holds it then.</summary>
    /// <returns>Canceled when somebody else wants it; given back by <see cref="Leave"/>.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.TakenOver"/>: the other one did not let go. <see cref="TransferError.NotFound"/>: it threw the upload away.
    /// </exception>
    public async ValueTask<CancellationTokenSource> EnterAsync(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _waiting);
        try
        {
            Stop();
            if (!await _alone.WaitAsync(Patience, cancellationToken).ConfigureAwait(false))
            {
                throw new TransferException(
                    TransferError.TakenOver,
                    $"Another request holds the upload '{Id}' and did not let go of it in {Patience.TotalSeconds} s. Try again later.")
                {
                    RetryAfter = TimeSpan.FromSeconds(1),
                };
            }
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }

        var holder = new CancellationTokenSource();
        lock (_gate)
        {
            _holder = holder;
        }

        if (IsGone)
        {
            Leave(holder);
            throw StoreErrors.NoUpload(Id);
        }

        if (Volatile.Read(ref _waiting) > 0)
        {
            // Who came while this one waited has the newer connection.
            Stop();
        }

        return holder;
    }

    public void Leave(CancellationTokenSource holder)
    {
        lock (_gate)
        {
            _holder = null;
            holder.Dispose();
        }

        _alone.Release();
    }

    /// <summary>What has been hashed so far, to go on with.</summary>
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
        Name = Record.ToName(),
        Offset = Offset,
        Length = Record.Length,
        Published = Record.IsPublished ? Record.Published!.ToFile(Record.ToName()) : null,
        Precondition = Record.ToPrecondition(),
        Metadata = Record.Metadata,
        Expected = Record.ToExpected(),
        Owner = Record.Owner,
        Parts = Record.Parts is { } parts ? [.. parts.Select(Parse)] : null,
        Expires = Touched + _options.UploadLifetime,
    };

    public void Dispose()
    {
        DropDigest();
        _alone.Dispose();
    }

    private void Stop()
    {
        CancellationTokenSource? holder;
        lock (_gate)
        {
            holder = _holder;
            if (holder is null)
            {
                return;
            }
        }

        try
        {
            // Not under the lock: whoever is told may let go at once.
            holder.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It has let go already.
        }
    }

    /// <summary>Bytes whose checksum nobody had looked at when the process died are not there.</summary>
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

    private static UploadId Parse(string text) =>
        UploadId.TryParse(text, out UploadId id) ? id : throw new FormatException($"'{text}' is no upload.");
}
