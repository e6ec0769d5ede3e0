using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;

namespace Millrace.Transfer.Server;

/// <summary>
/// Reports the changes of a store's files to a receiver. Each change is recorded beside the files before it is made, so that every
/// visible change is reported, even if the process was killed. Thread-safe.
/// </summary>
/// <remarks>
/// Only changes through <see cref="Store"/> are reported, not those that programs make in the folder by hand.
/// </remarks>
public sealed class FileEvents : IAsyncDisposable
{
    private readonly TransferMeter? _ownMeter;
    private int _disposed;

    private FileEvents(IFileStore store, EventOutbox outbox, TransferMeter? ownMeter)
    {
        Outbox = outbox;
        _ownMeter = ownMeter;
        Store = EventStore.Create(store, this, by: null);
    }

    /// <summary>The store to serve.</summary>
    public IFileStore Store { get; }

    internal EventOutbox Outbox { get; }

    /// <summary>Opens the outbox of a store, settles the changes that an earlier process has not finished, and begins to deliver.</summary>
    /// <param name="store">The store, which stays yours to dispose, after this.</param>
    /// <param name="options">The receiver and the limit.</param>
    /// <param name="logger">For failures of the receiver; null for no log.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ArgumentException">The store has no place for an outbox.</exception>
    public static Task<FileEvents> OpenAsync(
        IFileStore store, FileEventOptions options, ILogger? logger = null, CancellationToken cancellationToken = default) =>
        OpenAsync(store, options, logger ?? NullLogger.Instance, meter: null, TimeProvider.System, cancellationToken);

    internal static async Task<FileEvents> OpenAsync(
        IFileStore store, FileEventOptions options, ILogger logger, TransferMeter? meter, TimeProvider clock, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        TransferMeter? own = meter is null ? new TransferMeter() : null;
        EventOutbox outbox = store.Unwrap() switch
        {
            LocalFileStore local => new FileEventOutbox(local.Core.EventsPath, local.Options.Durability, options, meter ?? own!, clock, logger),
            { Documents: { } documents } => new BucketEventOutbox(documents, options, meter ?? own!, clock, logger),
            _ => throw new ArgumentException("The store has no place for an outbox.", nameof(store)),
        };
        var events = new FileEvents(store, outbox, own);
        IUploadStore uploads = store.Unwrap().Uploads;

        // A bucket may answer slowly: what expires meanwhile is deleted, and reported, by the next search.
        uploads.Expiring = static (_, _) => new(false);
        try
        {
            await outbox.StartAsync((record, ended) => HasHappenedAsync(store, record, ended), cancellationToken);
        }
        catch
        {
            await events.DisposeAsync();
            throw;
        }

        uploads.Expiring = events.ExpireAsync;
        return events;
    }

    /// <summary>Stops delivering. Waiting events are delivered when the outbox is opened again.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        Store.Unwrap().Uploads.Expiring = null;
        await Outbox.DisposeAsync();
        _ownMeter?.Dispose();
    }

    internal static EventRecord New(FileEventKind kind, TransferName name, string? by) =>
        new() { Id = Guid.CreateVersion7().ToString(), Kind = kind, Name = name.Value, By = by };

    /// <summary>Identifies the version of a file, as far as the store can distinguish them, or a folder. Null if nothing has the name.</summary>
    internal static async ValueTask<string?> IdentifyAsync(IFileStore store, TransferName name, bool folders, CancellationToken cancellationToken)
    {
        if (store.Unwrap() is LocalFileStore local)
        {
            return local.Identify(name);
        }

        return await store.FindAsync(name, DigestNeed.IfKnown, cancellationToken) is { } file
                ? string.Create(CultureInfo.InvariantCulture, $"f{file.Tag.Value} {file.Modified.Seconds}.{file.Modified.Nanoseconds}")
            : folders && await store.FolderExistsAsync(name, cancellationToken) ? "d"
            : null;
    }

    internal static bool IsFolder(string? identity) => identity is ['d', ..];

    /// <summary>
    /// Names an upload in events. The id itself would allow every reader of them to continue the upload.
    /// </summary>
    [Experimental("MILLRACE001")]
    internal static string NameOf(UploadId id) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.ASCII.GetBytes(id.Value)))[..16];

    /// <summary>Finds out whether a recorded change was made.</summary>
    internal static async ValueTask<EventRecord?> HasHappenedAsync(IFileStore store, EventRecord record, CancellationToken cancellationToken)
    {
        if (record.Upload is { } upload)
        {
            return UploadId.TryParse(record.Before ?? "", out UploadId id) && await store.Uploads.FindAsync(id, cancellationToken) is { } there
                ? await DisposedAsync(there)
                : record with { Before = null, Upload = upload };
        }

        if (!TransferName.TryParse(record.Name, out TransferName name))
        {
            return null;
        }

        string? now = await IdentifyAsync(store, name, folders: record.Kind == FileEventKind.Deleted || record.IsFolder, cancellationToken);
        if (record.Kind == FileEventKind.Deleted)
        {
            return now is null || now != record.Before ? record : null;
        }

        if (record.From is { } text && TransferName.TryParse(text, out TransferName from))
        {
            // A bucket copies the file, and then deletes the old one.
            bool isMoved = await IdentifyAsync(store, from, folders: true, cancellationToken) != record.Before;
            if (!isMoved && now != record.Target && now is not null)
            {
                record = record with { From = null, Kind = record.Target is null ? FileEventKind.Created : FileEventKind.Replaced };
            }
            else if (!isMoved || now is null)
            {
                return null;
            }
        }
        else if (now is null || now == record.Before)
        {
            return null;
        }

        return record.IsFolder ? record : record.With(await store.FindAsync(name, DigestNeed.IfKnown, cancellationToken));

        static async ValueTask<EventRecord?> DisposedAsync(StoredUpload upload)
        {
            await upload.DisposeAsync();
            return null;
        }
    }

    /// <summary>
    /// Deletes an upload that has expired, and reports it. If that is cut, another try, perhaps by another server, reports it again under the same id.
    /// </summary>
    private async ValueTask<bool> ExpireAsync(UploadStatus upload, Func<ValueTask<bool>> delete)
    {
        EventRecord begun = await Outbox.BeginAsync(
            New(FileEventKind.UploadExpired, upload.Name, upload.Owner) with
            {
                Id = new Guid(SHA256.HashData(Encoding.ASCII.GetBytes("expired " + upload.Id.Value)).AsSpan(0, 16)).ToString(),
                Upload = NameOf(upload.Id),
                Length = upload.Length,
            },
            _ => new(upload.Id.Value),
            isForced: true,
            CancellationToken.None);

        // After a failure it may be there or not: nobody can continue it.
        bool hasExpired = true;
        try
        {
            return hasExpired = await delete();
        }
        catch (TransferException exception) when (exception.Error == TransferError.Superseded)
        {
            // A request uses it.
            hasExpired = false;
            throw;
        }
        finally
        {
            await Outbox.SettleAsync(begun, hasExpired ? begun with { Before = null } : null);
        }
    }
}
