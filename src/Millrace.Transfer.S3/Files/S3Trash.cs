using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <summary>
/// The trash of a bucket: <c>.millrace/trash/ID/record</c>, and the deleted file as <c>content</c>, or below <c>content/</c> for a
/// folder. The bucket copies it there before it is deleted, so that a server that dies leaves both. Thread-safe.
/// </summary>
internal sealed class S3Trash(S3Store store, TimeSpan lifetime)
{
    private const string Record = "/record";
    private const string Content = "/content";

    /// <summary>Objects that are copied or deleted at once.</summary>
    private const int AtOnce = 8;

    /// <summary>Keeps a file that is about to be deleted, or replaced if it has content.</summary>
    /// <param name="name">The file.</param>
    /// <param name="head">The version; null to look for it.</param>
    /// <param name="isReplaced">Whether it is replaced.</param>
    /// <param name="caller">The caller's name; null if it is anonymous.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async ValueTask KeepAsync(
        TransferName name, GetObjectMetadataResponse? head, bool isReplaced, string? caller, CancellationToken cancellationToken)
    {
        string key = store.Keys.Of(name);
        head ??= await store.Bucket.HeadAsync(key, cancellationToken);
        if (head is null || (isReplaced && head.ContentLength == 0))
        {
            return;
        }

        string id = await BeginAsync(
            new TrashRecord { Name = name.Value, Bytes = head.ContentLength, By = caller, IsReplaced = isReplaced }, cancellationToken);
        bool isKept = false;
        try
        {
            isKept = await ObjectCopy.TryCopyAsync(store.Bucket, key, KeyOf(id) + Content, head, cancellationToken);
        }
        finally
        {
            if (!isKept)
            {
                // It is there still, or another server replaced or deleted it first, and keeps it.
                await DeleteAsync(id, CancellationToken.None);
            }
        }
    }

    /// <summary>Begins to keep a folder, whose objects are then kept one by one.</summary>
    public ValueTask<string> BeginFolderAsync(TransferName folder, long bytes, string? caller, CancellationToken cancellationToken) =>
        BeginAsync(new TrashRecord { Name = folder.Value, IsFolder = true, Bytes = bytes, By = caller }, cancellationToken);

    /// <param name="key">An object of the folder.</param>
    /// <param name="to">The entry, and the rest of the object's key.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async ValueTask KeepAsync(string key, (string Id, string Tail) to, CancellationToken cancellationToken)
    {
        if (await store.Bucket.HeadAsync(key, cancellationToken) is { } head)
        {
            await ObjectCopy.TryCopyAsync(store.Bucket, key, $"{KeyOf(to.Id)}{Content}/{to.Tail}", head, cancellationToken);
        }
    }

    public async ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken)
    {
        if (!TrashRules.IsId(id) || await store.Bucket.ReadAsync(KeyOf(id) + Record, cancellationToken) is not { } bytes)
        {
            return null;
        }

        try
        {
            return JsonSerializer.Deserialize(bytes, S3Json.Default.TrashRecord)?.ToEntry(id);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Reads every record: a bucket lists the oldest first only.</summary>
    public async ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken)
    {
        var entries = new List<TrashEntry>();
        foreach (string id in (await IdsAsync(cancellationToken)).Keys
            .Where(id => options.After is not { } after || string.CompareOrdinal(id, after) < 0)
            .OrderDescending(StringComparer.Ordinal))
        {
            if (await FindAsync(id, cancellationToken) is { } entry && TrashRules.Includes(options, entry.Name))
            {
                if (entries.Count == options.PageSize)
                {
                    return new TrashPage(entries, entries[^1].Id);
                }

                entries.Add(entry);
            }
        }

        return new TrashPage(entries, Next: null);
    }

    /// <summary>The objects of an entry, with the rest of each key after the name of the file or folder.</summary>
    public async IAsyncEnumerable<(string Key, string Tail)> ContentAsync(
        string id, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string prefix = KeyOf(id) + Content;
        await foreach (S3Object found in store.Bucket.ListAllAsync(prefix, cancellationToken))
        {
            yield return (found.Key, found.Key[prefix.Length..]);
        }
    }

    public async ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken)
    {
        if (!TrashRules.IsId(id))
        {
            return false;
        }

        bool any = false;
        await Parallel.ForEachAsync(
            store.Bucket.ListAllAsync(KeyOf(id) + "/", cancellationToken),
            new ParallelOptions { MaxDegreeOfParallelism = AtOnce, CancellationToken = cancellationToken },
            async (found, cancellation) =>
            {
                await store.Bucket.DeleteAsync(found.Key, cancellation);
                Volatile.Write(ref any, true);
            });
        store.Quota.Deleted();
        return any;
    }

    /// <summary>Deletes expired entries, and the oldest ones above the size limit.</summary>
    public async ValueTask ExpireAsync(CancellationToken cancellationToken)
    {
        DateTimeOffset end = store.Clock.Now - lifetime;
        foreach (string id in (await IdsAsync(cancellationToken)).Keys.Where(id => TrashRules.TimeOf(id) <= end).ToArray())
        {
            await DeleteAsync(id, cancellationToken);
        }

        if (store.Options.MaxTrashBytes is { } max)
        {
            Dictionary<string, long> left = await IdsAsync(cancellationToken);
            await MakeRoomAsync(left, left.Values.Sum() - max, cancellationToken);
        }
    }

    /// <summary>Deletes the oldest entries until so many bytes are free.</summary>
    /// <returns>Whether anything was deleted.</returns>
    public async ValueTask<bool> MakeRoomAsync(long bytes, CancellationToken cancellationToken) =>
        await MakeRoomAsync(await IdsAsync(cancellationToken), bytes, cancellationToken);

    private async ValueTask<bool> MakeRoomAsync(Dictionary<string, long> entries, long bytes, CancellationToken cancellationToken)
    {
        bool any = false;
        foreach ((string id, long length) in entries.OrderBy(static entry => entry.Key, StringComparer.Ordinal))
        {
            if (bytes <= 0)
            {
                break;
            }

            any |= await DeleteAsync(id, cancellationToken);
            bytes -= length;
        }

        return any;
    }

    /// <summary>The entries, with the bytes of each.</summary>
    private async ValueTask<Dictionary<string, long>> IdsAsync(CancellationToken cancellationToken)
    {
        var ids = new Dictionary<string, long>(StringComparer.Ordinal);
        await foreach (S3Object found in store.Bucket.ListAllAsync(store.Keys.Trash, cancellationToken))
        {
            string id = found.Key[store.Keys.Trash.Length..].Split('/')[0];
            if (TrashRules.IsId(id))
            {
                ids[id] = ids.GetValueOrDefault(id) + (found.Size ?? 0);
            }
        }

        return ids;
    }

    private async ValueTask<string> BeginAsync(TrashRecord record, CancellationToken cancellationToken)
    {
        string id = TrashRules.NewId(store.Clock.Now);
        await store.Bucket.WriteAsync(
            KeyOf(id) + Record, JsonSerializer.SerializeToUtf8Bytes(record, S3Json.Default.TrashRecord), cancellationToken.Begin());
        return id;
    }

    private string KeyOf(string id) => store.Keys.Trash + id;
}

/// <summary>The trash of a bucket, as callers list and restore it.</summary>
internal sealed class S3TrashView(S3Trash trash, S3Folders folders) : IFileTrash
{
    public ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken) =>
        trash.ListAsync(options, cancellationToken);

    public ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken) => trash.FindAsync(id, cancellationToken);

    public ValueTask<TransferName> RestoreAsync(string id, TransferName name, CancellationToken cancellationToken) =>
        folders.RestoreAsync(trash, id, name, cancellationToken);

    public ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken) => trash.DeleteAsync(id, cancellationToken);
}
