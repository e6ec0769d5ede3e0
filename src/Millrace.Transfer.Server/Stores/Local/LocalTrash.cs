using System.Text.Json;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// The trash of a folder: <c>.millrace/trash/ID</c> has a record and the file or folder itself, which got there by a rename. The record is
/// written first, so that a process that dies in between leaves one without content, which the next process deletes. Thread-safe.
/// </summary>
internal sealed class LocalTrash(LocalStore store, TimeSpan lifetime)
{
    public const string Content = "content";

    /// <summary>No file of a client has such a name, so that it does not count.</summary>
    private const string Record = NameRules.HiddenFolder + "-record.json";

    /// <summary>Held while an entry is moved in or out, so that no entry is deleted and restored at once.</summary>
    private readonly Lock _lock = new();

    /// <summary>Entries of this process are later: <see cref="Recover"/> leaves them alone.</summary>
    private readonly DateTimeOffset _opened = store.Options.TimeProvider.GetUtcNow();
    private readonly Lock _recovering = new();
    private readonly Lock _trimming = new();
    private bool _isRecovered;
    private long _bytes;

    private string FolderPath => store.TrashPath;

    public string PathOf(string id) => Path.Combine(FolderPath, id);

    /// <summary>Opens the folder of an entry.</summary>
    public StoreFolder Open(string id) => store.OpenOwn(PathOf(id));

    /// <summary>Moves a file or folder into the trash.</summary>
    /// <returns>False if it is on another file system.</returns>
    public bool TryTake(StoreFolder folder, string fileName, TransferName name, bool isFolder, long bytes, string? caller)
    {
        string id = Begin(new TrashRecord { Name = name.Value, IsFolder = isFolder, Bytes = bytes, By = caller });
        try
        {
            using StoreFolder place = Open(id);
            folder.Move(fileName, place, Content, replace: false);
            place.Flush();
        }
        catch (Exception exception)
        {
            Forget(id);
            if (exception is IOException && SystemError.Kind(exception, FilePipeError.Failed) == FilePipeError.CrossDevice)
            {
                return false;
            }

            throw;
        }

        Added(bytes);
        return true;
    }

    /// <summary>
    /// Keeps a file that is about to be replaced, and that has its name until then: by a second name for it where the file system has that,
    /// otherwise by a copy.
    /// </summary>
    /// <returns>The entry, which stays if <see cref="KeptVersion.Replaced"/> is called; null if the file does not exist, or has no content.</returns>
    public KeptVersion? TryKeep(StoreFolder folder, string fileName, TransferName name, string? caller)
    {
        if (!folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink) || isFolder || isLink || !facts.IsRegular || facts.Length == 0)
        {
            return null;
        }

        string id = Begin(new TrashRecord { Name = name.Value, Bytes = facts.Length, By = caller, IsReplaced = true });
        try
        {
            using StoreFolder place = Open(id);
            bool isLinked = folder.TryLink(fileName, place, Content);
            if (!isLinked)
            {
                File.Copy(folder.PathOf(fileName), Path.Combine(PathOf(id), Content));
            }

            place.Flush();
            return new KeptVersion(this, id, facts.Length, isLinked);
        }
        catch
        {
            Forget(id);
            throw;
        }
    }

    /// <summary>Removes the entry of something that kept its name.</summary>
    private void Forget(string id)
    {
        try
        {
            Directory.Delete(PathOf(id), recursive: true);
        }
        catch (IOException)
        {
            // The next process deletes it.
        }
    }

    /// <returns>Null if there is none, or if its content is not there yet.</returns>
    public TrashEntry? Find(string id)
    {
        if (!TrashRules.IsId(id) || !Path.Exists(Path.Combine(PathOf(id), Content)))
        {
            return null;
        }

        try
        {
            return JsonSerializer.Deserialize(
                File.ReadAllBytes(Path.Combine(PathOf(id), Record)), ServerJson.Default.TrashRecord)?.ToEntry(id);
        }
        catch (Exception exception) when (exception is IOException or JsonException)
        {
            return null;
        }
    }

    public TrashPage List(in ListTrashOptions options, CancellationToken cancellationToken)
    {
        var entries = new List<TrashEntry>();
        string? after = options.After;
        foreach (string id in Ids().Where(id => after is null || string.CompareOrdinal(id, after) < 0).OrderDescending(StringComparer.Ordinal))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (Find(id) is { } entry && TrashRules.Includes(options, entry.Name))
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

    /// <summary>Takes the content of an entry out.</summary>
    /// <exception cref="IOException">It was not moved, and is still there.</exception>
    public void MoveOut(TrashEntry entry, StoreFolder target, string newName)
    {
        lock (_lock)
        {
            using StoreFolder place = Find(entry.Id) is not null ? Open(entry.Id) : throw TrashRules.NotFound(entry.Id);
            place.Move(Content, target, newName, replace: false);
        }

        target.Flush();
        Interlocked.Add(ref _bytes, -entry.Bytes);
        Forget(entry.Id);
    }

    public bool Delete(string id)
    {
        if (!TrashRules.IsId(id))
        {
            return false;
        }

        string remains = Path.Combine(store.RemovedPath, RandomNumberGenerator.GetHexString(32, lowercase: true));
        TrashEntry? entry;
        lock (_lock)
        {
            if (!Directory.Exists(PathOf(id)))
            {
                return false;
            }

            entry = Find(id);
            Directory.CreateDirectory(store.RemovedPath);
            Directory.Move(PathOf(id), remains);
        }

        Interlocked.Add(ref _bytes, -(entry?.Bytes ?? 0));
        try
        {
            FolderWalk.Delete(remains, store.Native, bytes => store.Limits.AddUsed(-bytes));
        }
        catch (IOException)
        {
            // No client sees it; the next process tries again.
        }

        return entry is not null;
    }

    /// <summary>Deletes the oldest entries until so many bytes are free.</summary>
    /// <returns>Whether anything was deleted.</returns>
    public bool MakeRoom(long bytes)
    {
        bool any = false;
        foreach (string id in Ids().Order(StringComparer.Ordinal))
        {
            if (bytes <= 0)
            {
                break;
            }

            if (Find(id) is { } entry && Delete(id))
            {
                any = true;
                bytes -= entry.Bytes;
            }
        }

        return any;
    }

    /// <summary>Removes the leftovers of a process that died: entries without content, and versions that were not replaced after all.</summary>
    public void Recover()
    {
        lock (_recovering)
        {
            if (!_isRecovered)
            {
                Interlocked.Add(ref _bytes, RecoverAll());
                _isRecovered = true;
            }
        }
    }

    /// <summary>Deletes expired entries, and the oldest ones above the size limit.</summary>
    public void Expire(CancellationToken cancellationToken)
    {
        DateTimeOffset end = store.Options.TimeProvider.GetUtcNow() - lifetime;
        foreach (string id in Ids().Where(id => TrashRules.TimeOf(id) <= end))
        {
            cancellationToken.ThrowIfCancellationRequested();
            Delete(id);
        }

        Trim();
    }

    /// <returns>Bytes of all that stays.</returns>
    private long RecoverAll()
    {
        long bytes = 0;
        foreach (string id in Ids().Where(id => TrashRules.TimeOf(id) < _opened.AddMilliseconds(-1)))
        {
            if (Find(id) is not { } entry)
            {
                if (!Path.Exists(Path.Combine(PathOf(id), Content)))
                {
                    Forget(id);
                }
            }
            else if (entry.IsReplaced && IsStillThere(entry))
            {
                Forget(id);
            }
            else
            {
                bytes += entry.Bytes;
            }
        }

        return bytes;
    }

    private bool IsStillThere(TrashEntry entry)
    {
        using StoreFolder place = Open(entry.Id);
        return place.TryLook(Content, out FileFacts kept, out _, out _)
            && kept.Inode != 0
            && store.Tree.TryLook(entry.Name) is { } present
            && (present.Inode, present.Device) == (kept.Inode, kept.Device);
    }

    private string Begin(TrashRecord record)
    {
        string id = TrashRules.NewId(store.Options.TimeProvider.GetUtcNow());
        Directory.CreateDirectory(PathOf(id));
        using (var file = new FileStream(Path.Combine(PathOf(id), Record), FileMode.CreateNew, FileAccess.Write))
        {
            JsonSerializer.Serialize(file, record, ServerJson.Default.TrashRecord);
            file.Flush(flushToDisk: store.Options.Durability != Durability.None);
        }

        if (store.Options.Durability != Durability.None)
        {
            using StoreFolder all = store.OpenOwn(FolderPath);
            all.Flush();
        }

        return id;
    }

    private void Added(long bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) > store.Options.MaxTrashBytes)
        {
            // A large folder takes a while to delete, and no request has to wait for it.
            _ = Task.Run(Trim);
        }
    }

    private void Trim()
    {
        lock (_trimming)
        {
            try
            {
                if (Interlocked.Read(ref _bytes) is var bytes && bytes > store.Options.MaxTrashBytes)
                {
                    MakeRoom(bytes - store.Options.MaxTrashBytes.Value);
                }
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // The next period tries again.
            }
        }
    }

    private IEnumerable<string> Ids() => Directory.Exists(FolderPath)
        ? Directory.GetDirectories(FolderPath).Select(static path => Path.GetFileName(path)).Where(TrashRules.IsId)
        : [];

    /// <summary>A version in the trash that still has its name, and leaves the trash unless it loses that.</summary>
    internal sealed class KeptVersion(LocalTrash trash, string id, long bytes, bool isLinked) : IDisposable
    {
        private bool _isReplaced;

        /// <summary>It is only in the trash now.</summary>
        public void Replaced()
        {
            _isReplaced = true;
            trash.Added(bytes);
        }

        public void Dispose()
        {
            if (!_isReplaced && isLinked && trash.Find(id) is { } entry && !trash.IsStillThere(entry))
            {
                // It was replaced, and what followed failed, such as the flush of the folder.
                Replaced();
            }

            if (!_isReplaced)
            {
                trash.Forget(id);
            }
        }
    }
}

/// <summary>The trash of a folder, as far as a tree leads.</summary>
internal sealed class LocalTrashView(LocalTrash trash, LocalFolders folders) : IFileTrash
{
    public ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken) =>
        new(Task.Run(() => trash.List(options, cancellationToken), cancellationToken));

    public ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken) => new(trash.Find(id));

    public ValueTask<TransferName> RestoreAsync(string id, TransferName name, CancellationToken cancellationToken) =>
        folders.RestoreAsync(trash, id, name, cancellationToken);

    public ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken) =>
        new(Task.Run(() => trash.Delete(id), cancellationToken));
}
