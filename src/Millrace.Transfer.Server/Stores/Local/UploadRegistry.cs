using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>The uploads of a store, one instance for each, whatever part of the store its callers may use. Thread-safe.</summary>
internal sealed class UploadRegistry(LocalStore store) : IDisposable
{
    private readonly ConcurrentDictionary<UploadId, LocalUpload> _uploads = new();
    private readonly ConcurrentQueue<UploadId> _finished = new();

    /// <summary>Loads the uploads of earlier processes, complete or in the middle of something.</summary>
    public void Load()
    {
        foreach (string folder in Directory.EnumerateDirectories(store.UploadsPath))
        {
            if (UploadId.TryParse(Path.GetFileName(folder), out UploadId id) && LocalUpload.TryLoad(id, store) is { } upload)
            {
                RecoverPublication(upload);
                upload.Reservation.Set(upload.IsPublished ? 0 : upload.Offset);
                upload.ForgetRecord();
                _uploads[id] = upload;
            }
        }

        foreach (LocalUpload upload in _uploads.Values.Where(static upload => upload.IsPublished).OrderBy(static upload => upload.Touched))
        {
            upload.ReleaseCount();
            _finished.Enqueue(upload.Id);
        }
    }

    public void Add(LocalUpload upload) => _uploads[upload.Id] = upload;

    /// <returns>Null if there is none; one that has expired is one.</returns>
    public LocalUpload? Get(UploadId id) =>
        id.Value is not null && _uploads.TryGetValue(id, out LocalUpload? upload) ? upload : null;

    /// <returns>Null if there is none, or it has expired.</returns>
    public LocalUpload? Find(UploadId id) => Get(id) is { HasExpired: false, IsGone: false } upload ? upload : null;

    /// <summary>The uploads that have not become files.</summary>
    public IReadOnlyCollection<UploadStatus> ListUnfinished()
    {
        var found = new List<UploadStatus>();
        foreach (LocalUpload upload in _uploads.Values.Where(static one => !one.IsPublished && !one.HasExpired))
        {
            try
            {
                found.Add(upload.ToStatus());
            }
            catch (TransferException)
            {
                // It was deleted meanwhile.
            }
        }

        return found;
    }

    /// <summary>An upload that is only kept to be asked about, or joined again, does not count any more.</summary>
    public void Finish(LocalUpload upload)
    {
        if (upload.ReleaseCount())
        {
            _finished.Enqueue(upload.Id);
        }
    }

    /// <summary>Deletes the oldest finished uploads when there are too many.</summary>
    public async ValueTask ForgetFinishedAsync(CancellationToken cancellationToken)
    {
        while (_finished.Count >= store.Options.MaxUploads && _finished.TryDequeue(out UploadId oldest))
        {
            await RemoveAsync(oldest, cancellationToken);
        }
    }

    /// <summary>Takes an upload over and deletes it.</summary>
    /// <returns>False if there is none.</returns>
    public async ValueTask<bool> RemoveAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (Get(id) is not { } upload)
        {
            return false;
        }

        using TakeoverLock.Holder? holder = await upload.TryAcquireAsync(cancellationToken);
        if (holder is null)
        {
            return false;
        }

        Remove(upload);
        return true;
    }

    /// <summary>Deletes an upload whose lock the caller holds.</summary>
    public void Remove(LocalUpload upload)
    {
        upload.IsGone = true;

        // The folder first: a search for expired uploads would take one without an upload for a damaged one.
        TryDeleteFolder(upload.Folder);
        _uploads.TryRemove(upload.Id, out _);
        upload.Reservation.ReleaseReservation();
        upload.ReleaseCount();
        upload.DropDigest();
    }

    /// <returns>False if it was gone already, or is left to the next search for expired uploads.</returns>
    public static bool TryDeleteFolder(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    public void Dispose()
    {
        foreach (LocalUpload upload in _uploads.Values)
        {
            upload.Dispose();
        }
    }

    /// <summary>Finds out whether an upload that was about to be published was published before the process died.</summary>
    private void RecoverPublication(LocalUpload upload)
    {
        if (upload.Record is not { IsPublished: false, Published: { } intent })
        {
            return;
        }

        // An older version may have the same time if it was given, so that then only the bytes that are gone from here prove it.
        bool isGone = !File.Exists(upload.DataPath);
        FileFacts? found = store.Tree.TryLook(upload.Name);
        bool isThere = found is { } facts && facts.Length == intent.Length && facts.Modified == intent.Modified
            && (isGone || upload.Record.Modified is null);
        if (isThere || isGone)
        {
            // If it was replaced or deleted since, its tag is lost; a new one is as unique.
            string tag = isThere ? found!.Value.ToTag().Value : RandomNumberGenerator.GetHexString(20, lowercase: true);
            upload.RecoverResultAsync(tag).AsTask().GetAwaiter().GetResult();
        }
    }
}
