namespace Millrace.Transfer.Server;

/// <summary>One request's work on one upload, the same for tus, the draft and gRPC.</summary>
/// <remarks>Not thread-safe. Disposing it ends the request's transfer, and changes nothing about the upload.</remarks>
internal sealed class UploadSession : IAsyncDisposable
{
    private readonly TransferMeter _meter;
    private readonly TransferPass _pass;
    private readonly StoredUpload _upload;
    private readonly CancellationToken _ended;

    private UploadSession(TransferMeter meter, TransferPass pass, StoredUpload upload, bool isAnnounced, CancellationToken ended)
    {
        _meter = meter;
        _pass = pass;
        _upload = upload;
        _ended = ended;
        Status = upload.Status;
        IsAnnounced = isAnnounced;
    }

    /// <summary>The store as the caller may use it.</summary>
    public IFileStore Store => _pass.Store;

    public UploadStatus Status { get; private set; }

    public UploadId Id => Status.Id;

    /// <summary>Whether the client knows how to continue the upload; if not, the rest of a failed request is deleted.</summary>
    public bool IsAnnounced { get; set; }

    /// <summary>Starts an upload for a request that was admitted.</summary>
    public static async ValueTask<UploadSession> StartAsync(
        HttpContext context, StartUploadOptions options, TransferPass pass, CancellationToken ended)
    {
        StoredUpload upload = await pass.Store.Uploads.StartAsync(options with { Owner = pass.Owner, Caller = pass.Caller }, ended);
        return new UploadSession(MeterOf(context), pass, upload, isAnnounced: false, ended).Count("started");
    }

    /// <summary>Joins finished parts and publishes them. Uses nothing of the request, which may have ended.</summary>
    public static async Task<UploadStatus> JoinAsync(
        TransferMeter meter, StartUploadOptions options, IReadOnlyList<UploadId> parts, TransferPass pass, CancellationToken ended)
    {
        foreach (UploadId part in parts)
        {
            await using StoredUpload found = await pass.Store.Uploads.FindAsync(part, ended) ?? throw Errors.NoUpload(part);
            ThrowUnlessJoinable(found.Status, pass);
        }

        StoredUpload upload = await pass.Store.Uploads.JoinAsync(
            options with { Owner = pass.Owner, Caller = pass.Caller }, parts, ended);
        await using UploadSession session = new UploadSession(meter, pass, upload, isAnnounced: false, ended).Count("joined");
        try
        {
            await session.CompleteAsync(options.Expected);
            return session.Status;
        }
        catch
        {
            // The parts stay, to be joined again.
            await session.DeleteAsync(CancellationToken.None);
            throw;
        }
    }

    /// <summary>Whether an upload that was published is still known, and its file there.</summary>
    public static async ValueTask<bool> IsThereAsync(UploadStatus status, IFileStore store, CancellationToken ended)
    {
        await using StoredUpload? upload = await store.Uploads.FindAsync(status.Id, ended);
        return upload is not null && await FindFileAsync(status, status.Published!, store, ended) is not null;
    }

    /// <summary>Admits a request and finds its upload, without disturbing a request that still appends to it.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.Forbidden"/>, or that of <see cref="TransferGuard"/>.
    /// </exception>
    public static async ValueTask<UploadSession> OpenAsync(
        HttpContext context, IFileStore store, UploadId id, TransferOperation operation, CancellationToken ended)
    {
        var guard = TransferGuard.Of(context);
        StoredUpload? upload = await guard.CanQueryStatusAsync(context, store) ? await store.Uploads.FindAsync(id, ended) : null;
        TransferPass? pass = null;
        try
        {
            // A caller that is not admitted must not learn which uploads exist.
            pass = await guard.EnterAsync(
                context, store, operation, upload?.Status.Name ?? default);
            if (upload is not null && pass.Store != store)
            {
                // Where the caller's names lead no further than its prefix, its uploads do not either.
                await upload.DisposeAsync();
                upload = await pass.Store.Uploads.FindAsync(id, ended);
            }

            return upload is null ? throw Errors.NoUpload(id)
                : Owns(upload.Status, pass) ? new UploadSession(MeterOf(context), pass, upload, isAnnounced: true, ended)
                {
                    Status = await WithFileAsync(upload.Status, pass.Store, ended),
                }
                : throw new TransferException(
                    TransferError.Forbidden,
                    $"Upload {id} was started with another token. Continue it with that one, or start a new upload.");
        }
        catch
        {
            pass?.Dispose();
            if (upload is not null)
            {
                await upload.DisposeAsync();
            }

            throw;
        }
    }

    /// <summary>Stops a request that still appends, so that <see cref="Status"/> is final.</summary>
    public async ValueTask TakeOverAsync()
    {
        if (Status.Published is null)
        {
            await _upload.TakeOverAsync(_ended);
            Status = _upload.Status;
        }
    }

    /// <summary>Makes ready to append at an offset.</summary>
    /// <param name="offset">Where the request continues.</param>
    /// <exception cref="Refusal"><see cref="TransferError.OffsetMismatch"/>.</exception>
    public async ValueTask TakeOverAtAsync(long offset)
    {
        await TakeOverAsync();
        if (offset != Status.Offset)
        {
            throw Mismatch(offset, Status.Offset);
        }
    }

    public async ValueTask SetLengthAsync(long length, CancellationToken cancellationToken)
    {
        if (Status.Length != length)
        {
            await _upload.SetLengthAsync(length, cancellationToken);
            Status = _upload.Status;
        }
    }

    /// <summary>Appends what <paramref name="receive"/> writes, and saves it.</summary>
    /// <param name="isVerified">Whether the request has a checksum: then a failed request leaves nothing of its bytes.</param>
    /// <param name="receive">
    /// Writes the bytes, until they end or <see cref="UploadWriter.Superseded"/> is canceled. Bytes it has handed to the
    /// writer when it throws are kept, unless <paramref name="isVerified"/>.
    /// </param>
    public async ValueTask<T> AppendAsync<T>(bool isVerified, Func<UploadWriter, ValueTask<T>> receive)
    {
        long start = Status.Offset;
        await using UploadWriter writer = await OpenAsync(start, isVerified);
        _meter.Appending(1);
        T result;
        try
        {
            result = await receive(writer);
        }
        catch (Exception exception)
        {
            await KeepAsync(writer, isVerified);
            long kept = isVerified ? start : writer.Offset;
            _pass.AddBytes(kept - start);
            if (Explain(exception, writer, kept) is { } refusal)
            {
                throw refusal;
            }

            throw;
        }
        finally
        {
            _meter.Appending(-1);
        }

        _pass.AddBytes(writer.Offset - start);
        Status = await writer.SaveAsync(CancellationToken.None);
        return result;
    }

    /// <summary>Publishes the upload, which has all its bytes.</summary>
    /// <param name="expected">The digest that this request gives for the whole file; null for none.</param>
    public async ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected)
    {
        if (Status.Published is { } published)
        {
            return published;
        }

        if (Status.IsPartial)
        {
            throw Errors.Invalid(
                $"Upload {Id} is a part of others and does not become a file. Join it with tus's Upload-Concat.");
        }

        if (expected is not null && Status.Expected is not null && expected != Status.Expected)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"This request gives the SHA-256 {expected}, and the one that started the upload gave {Status.Expected}. "
                + "Send the digest of the whole file.",
                Status.Name.Value);
        }

        // Only a lock makes it matter whether the name is new.
        LockUse use = _pass.State?.Locks.Known is { IsEmpty: false }
            && await Store.FindAsync(Status.Name, DigestNeed.IfKnown, CancellationToken.None) is not null
            ? LockUse.Content
            : LockUse.Membership;
        using TransferPass.Change change = await _pass.BeginAsync(Status.Name, use, CancellationToken.None);

        // All bytes are here: publishing is right, whether or not the client still waits for the response.
        StoredFile file = await _upload.CompleteAsync(expected ?? Status.Expected, CancellationToken.None);
        Status = Status with { Published = file };
        Count("completed");
        return file;
    }

    /// <summary>Deletes the upload.</summary>
    /// <returns>False if it was gone already.</returns>
    public async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
    {
        bool deleted = await _upload.DeleteAsync(cancellationToken);
        if (deleted)
        {
            Count("aborted");
        }

        return deleted;
    }

    public ValueTask DisposeAsync()
    {
        _pass.Dispose();
        return _upload.DisposeAsync();
    }

    private async ValueTask<UploadWriter> OpenAsync(long offset, bool isVerified)
    {
        try
        {
            UploadWriter writer = await _upload.AppendAsync(offset, isVerified, _ended);
            if (offset > 0)
            {
                Count("resumed");
            }

            return writer;
        }
        catch (TransferException exception) when (exception is { Error: TransferError.OffsetMismatch, Offset: { } actual })
        {
            throw Mismatch(offset, actual);
        }
    }

    private Refusal Mismatch(long provided, long actual) => new(
        TransferError.OffsetMismatch,
        $"Upload {Id} has {actual} bytes, and this request continues at {provided}. Continue at {actual}.")
    {
        Offset = actual,
        ProvidedOffset = provided,
    };

    /// <summary>Clients take a finished upload for a stored file, so that one whose file is gone must not be found.</summary>
    private static async ValueTask<UploadStatus> WithFileAsync(UploadStatus status, IFileStore store, CancellationToken ended)
    {
        if (status.Published is not { } published)
        {
            return status;
        }

        return await FindFileAsync(status, published, store, ended) is { } file ? status with { Published = file } : throw new TransferException(
            TransferError.NotFound,
            $"Upload {status.Id} became '{status.Name}', and that file was deleted, moved or replaced since. Start a new upload.",
            status.Name.Value);
    }

    private static async ValueTask<StoredFile?> FindFileAsync(
        UploadStatus status, StoredFile published, IFileStore store, CancellationToken ended)
    {
        StoredFile? present = await store.FindAsync(status.Name, DigestNeed.IfKnown, ended);
        if (present?.Tag == published.Tag)
        {
            return published;
        }

        // Another version may have the same content: of a restored backup, or after its permissions were changed.
        bool isSame = present?.Length == published.Length && (published.Sha256 is { } digest
            ? (present = await store.FindAsync(status.Name, DigestNeed.Always, ended))?.Sha256 == digest
            : present.Modified == published.Modified);
        return isSame ? present : null;
    }

    private static TransferMeter MeterOf(HttpContext context) => context.RequestServices.GetRequiredService<TransferMeter>();

    private static bool Owns(UploadStatus status, TransferPass pass) =>
        status.Owner is null || string.Equals(status.Owner, pass.Owner, StringComparison.Ordinal);

    private static void ThrowUnlessJoinable(UploadStatus part, TransferPass pass)
    {
        if (!Owns(part, pass))
        {
            throw new TransferException(
                TransferError.Forbidden, $"Upload {part.Id} was started with another token. Join only your own.");
        }

        if (!part.IsPartial)
        {
            throw Errors.Invalid($"Upload {part.Id} is not partial. Start the parts with Upload-Concat: partial.");
        }

        if (!part.IsComplete)
        {
            throw Errors.Invalid(
                $"Upload {part.Id} has {part.Offset} of {part.Length?.ToString() ?? "an unknown number of"} bytes. "
                + "Finish all parts, then join them.");
        }
    }

    private static async ValueTask KeepAsync(UploadWriter writer, bool isVerified)
    {
        Task keeping = isVerified ? writer.DiscardAsync().AsTask() : writer.SaveAsync(CancellationToken.None).AsTask();

        // The request's failure matters more than that of saving its rest; the store knows the received bytes.
        await keeping.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private UploadSession Count(string what)
    {
        _meter.Upload(what);
        return this;
    }

    /// <summary>Describes the upload after a request has failed; null where the exception is enough.</summary>
    private Refusal? Explain(Exception exception, UploadWriter writer, long kept)
    {
        if (writer.Superseded.IsCancellationRequested)
        {
            return new Refusal(
                TransferError.Superseded,
                $"Another request has superseded this one: upload {Id} is at {kept} bytes. "
                + "To continue with this one instead, ask for the offset first.",
                innerException: exception);
        }

        if (!IsAnnounced)
        {
            return null;
        }

        return exception switch
        {
            _ when Refusal.FindBrokenBody(exception) is { } broken => Refusal.OfBrokenBody(
                broken, $"Upload {Id} has {kept} bytes; continue there.", kept),
            TransferException { Offset: null } transfer => new Refusal(transfer.Error, transfer.Message, transfer.Name, transfer)
            {
                Offset = kept,
                RetryAfter = transfer.RetryAfter,
            },
            _ => null,
        };
    }
}
