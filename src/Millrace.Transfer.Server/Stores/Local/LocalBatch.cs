using System.Buffers;
using System.IO.Hashing;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Small files that share their waits for the device: all are written, one call makes all of them durable, each gets its name, and each
/// folder is flushed once. So each is whole, verified and durable before it is visible, and its name before it is acknowledged, as a file by itself is.
/// Where Linux's own calls are. Not thread-safe.
/// </summary>
internal sealed class LocalBatch(LocalStore store, StoreTree tree, LocalFiles files, LocalPublisher publisher) : IDisposable
{
    /// <summary>Files between two flushes: each is open until then.</summary>
    public const int MaxFiles = 256;

    /// <summary>Files and folders that all batches of a store hold open: beyond these, each batch publishes what it has.</summary>
    /// <remarks>A quarter of the 4,096 that old systems allow a process.</remarks>
    private const int MaxHandles = 1024;

    /// <summary>A file that is written, and the folder that it is in.</summary>
    private const int HandlesOfFile = 2;

    /// <summary>Bytes between two checks of the device.</summary>
    private const long CheckEvery = 1024 * 1024;

    /// <summary>Threads that flush files one by one: the journal of a file system makes those together that wait for it.</summary>
    private const int Flushers = 8;

    /// <summary>Folders that are flushed one by one; more of them are flushed with everything else.</summary>
    private const int FewFolders = 4;

    private readonly Dictionary<TransferName, Place> _places = [];
    private readonly List<Place> _others = [];
    private long _unchecked = CheckEvery;
    private int _round;

    private bool IsDurable => store.Options.Durability != Durability.None;

    /// <summary>Whether anything is open.</summary>
    public bool HoldsAny => _places.Count + _others.Count > 0;

    /// <summary>Whether too much is open for more of it.</summary>
    public bool IsCrowded => _places.Count + _others.Count >= MaxFiles || store.BatchHandles >= MaxHandles;

    /// <summary>Begins a batch of a store; null if its files share nothing.</summary>
    public static LocalBatch? TryBegin(IFileStore store) => store switch
    {
        HidingFileStore hiding => TryBegin(hiding.Inner),
        LocalFileStore local => local.TryBeginBatch(),
        _ => null,
    };

    /// <summary>Finds the file that has a name.</summary>
    /// <returns>The file, null if there is none; and whether a folder has the name.</returns>
    public async ValueTask<(StoredFile? File, bool IsFolder)> FindAsync(TransferName name, CancellationToken cancellationToken)
    {
        if (FindPlace(name, create: false) is not { } place
            || (!place.Folder.TryLook(name.FileName, out _, out bool isFolder, out bool isLink) && place.Folder.Lacks(name.FileName)))
        {
            return default;
        }

        StoredFile? file = isFolder ? null : await files.FindAsync(name, DigestNeed.IfKnown, cancellationToken);
        return (file, file is null && (isFolder || await files.FolderExistsAsync(name, cancellationToken)));
    }

    /// <summary>Writes a file, of which nothing is visible before it is published.</summary>
    /// <param name="name">Its name, which no unpublished file of the batch has.</param>
    /// <param name="options">As for <see cref="IFileStore.CreateAsync"/>; the precondition has just been checked.</param>
    /// <param name="content">Its bytes.</param>
    /// <param name="expected">The digest that it must have; null for any.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async ValueTask<Written> WriteAsync(
        TransferName name, CreateFileOptions options, ReadOnlyMemory<byte> content, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(name);
        store.Limits.CheckFile(name, content.Length);
        await store.Limits.CheckTotalAsync(name, content.Length, cancellationToken);
        FileDigest? digest = null;
        if (store.Options.ComputeSha256 || expected is not null)
        {
            digest = new FileDigest(new Sha256Digest(SHA256.HashData(content.Span)), Crc32.HashToUInt32(content.Span));
            if (expected is { } wanted && digest.Value.Sha256 != wanted)
            {
                throw Errors.WrongDigest(name, wanted, digest.Value.Sha256);
            }
        }

        CheckDevice(name, content.Length);
        var reservation = new Reservation(store.Limits);
        FilePipeWriter? file = null;
        try
        {
            reservation.Reserve(name, content.Length);
            (file, Place place) = Create(name, options.Precondition.CreateNew);
            await file.WriteThroughAsync(new ReadOnlySequence<byte>(content), cancellationToken);
            long? stamp = await publisher.StampAsync(file, name, new FileTerms(options.Modified, options.IsExecutable), cancellationToken);
            (FileFacts, long?, bool) stamped = (tree.Look(file.Handle), stamp, options.Modified is not null);
            store.AddBatchHandles(HandlesOfFile);
            return new Written(store, name, file, place, options.Precondition, stamped, digest, reservation);
        }
        catch (Exception exception)
        {
            file?.Dispose();
            reservation.ReleaseReservation();
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "create", name);
            }

            throw;
        }
    }

    /// <summary>Makes written files durable. One that could not be fails when it is published.</summary>
    public async ValueTask FlushAsync(IReadOnlyList<Written> written)
    {
        _round++;
        if (!IsDurable || written.Count == 0)
        {
            return;
        }

        // Flushing waits for a device, which is not for the caller's thread.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (written.Count > 1 && TrySyncAll())
        {
            return;
        }

        foreach (Written one in written)
        {
            _ = FileSpace.BeginWriting(one.File.Handle, 0, bytes: 0);
        }

        await Parallel.ForEachAsync(written, new ParallelOptions { MaxDegreeOfParallelism = Flushers }, static async (one, _) =>
        {
            try
            {
                await one.File.FlushToDeviceAsync(CancellationToken.None);
            }
            catch (FilePipeException exception)
            {
                one.Failure = exception;
            }
        });
    }

    /// <summary>Gives a written file its name. It is not acknowledged before <see cref="FlushNames"/>.</summary>
    /// <exception cref="TransferException">As <see cref="StoredFileWriter.CommitAsync"/>.</exception>
    public async ValueTask<StoredFile> PublishAsync(Written one, CancellationToken cancellationToken)
    {
        try
        {
            return one.Failure is null
                ? await publisher.PublishAsync(this, one, cancellationToken)
                : throw one.Failure;
        }
        catch (FilePipeException exception)
        {
            throw Errors.Translate(exception, "publish", one.Name);
        }
    }

    /// <summary>Throws if the folder that a file was written to has no longer the file's name: it would be acknowledged, and missing there.</summary>
    /// <remarks>For changes that other programs make, it looks once for each folder and flush.</remarks>
    public void ThrowIfElsewhere(Written one)
    {
        if (one.Place.IsChecked(store.Moves, _round))
        {
            return;
        }

        if (!IsThere(one.Place, one.Name))
        {
            throw Errors.FolderExchanged(one.Name);
        }
    }

    /// <summary>Makes the names of the published files durable, and closes their folders.</summary>
    /// <param name="published">The files, in folders of this batch.</param>
    /// <param name="failed">Called for each file whose name is not durable.</param>
    public void FlushNames(IReadOnlyList<Written> published, Action<Written, TransferException> failed)
    {
        if (IsDurable && published.Count > 0 && !(published.Select(static one => one.Place).Distinct().Skip(FewFolders).Any() && TrySyncAll()))
        {
            foreach (IGrouping<Place, Written> folder in published.GroupBy(static one => one.Place))
            {
                try
                {
                    folder.Key.Folder.Flush();
                }
                catch (IOException exception)
                {
                    foreach (Written one in folder)
                    {
                        failed(one, Errors.Translate(exception, "publish", one.Name));
                    }
                }
            }
        }

        Dispose();
    }

    /// <summary>Closes the folders. They are opened again for later files.</summary>
    public void Dispose()
    {
        foreach (Place place in _places.Values.Concat(_others))
        {
            place.Folder.Dispose();
        }

        store.AddBatchHandles(-_places.Count - _others.Count);
        _places.Clear();
        _others.Clear();
    }

    /// <returns>False if each file or folder has to be flushed, so that an error belongs to it.</returns>
    private bool TrySyncAll()
    {
        // More than one if something is mounted below the root.
        SafeFileHandle[] devices = [.. _places.Values.Concat(_others).DistinctBy(static place => place.Id.Device).Select(static place => place.Handle)];
        return Array.TrueForAll(devices, FileSystemSync.Pays) && devices.Count(static device => FileSystemSync.Run(device) == 0) == devices.Length;
    }

    private void CheckDevice(TransferName name, long bytes)
    {
        if (_unchecked + bytes > CheckEvery)
        {
            store.Limits.CheckDevice(name, bytes);
            _unchecked = 0;
        }

        _unchecked += bytes;
    }

    private (FilePipeWriter File, Place Place) Create(TransferName name, bool createNew)
    {
        for (int i = 0; ; i++)
        {
            Place place = FindPlace(name, create: true)!;
            string fileName = name.FileName;
            if (place.Folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink))
            {
                if (isLink && !createNew)
                {
                    // Its file is in another folder, or has another name.
                    int moves = store.Moves;
                    place = Of(tree.TryOpenFolderOf(name, create: true, follow: true, out fileName)!, isLinked: true, moves);
                    _others.Add(place);
                }

                LocalPublisher.ThrowIfNoFile(place.Folder, fileName, name);
            }

            string path = place.Folder.PathOf(fileName);
            FilePipeWriter? file = null;
            try
            {
                file = FilePipe.Create(path, new FileWriteOptions { CreateNew = createNew, Durability = Durability.None, UnixCreateMode = store.Options.FileMode });
                LocalPublisher.ThrowIfLinkFollowed(file, path, name);
                return (file, place);
            }
            catch (FilePipeException exception) when (i == 0 && exception.Error == FilePipeError.NotFound && _places.Remove(name.Folder, out Place? gone))
            {
                // The folder was deleted since it was opened; others of it may still be held.
                _others.Add(gone);
            }
            catch
            {
                file?.Dispose();
                throw;
            }
        }
    }

    /// <summary>The folder that has a name's file now.</summary>
    private Place? FindPlace(TransferName name, bool create)
    {
        TransferName folder = name.Folder;
        if (_places.TryGetValue(folder, out Place? place) && !(create && place.IsChecked(store.Moves, _round)) && !IsThere(place, name))
        {
            // It was moved, deleted or replaced since it was opened. Others of it may still be held.
            _places.Remove(folder);
            _others.Add(place);
            place = null;
        }

        if (place is null)
        {
            int moves = store.Moves;
            if (tree.TryOpenFolderOf(name, create, follow: false, out _) is { } opened)
            {
                _places.Add(folder, place = Of(opened, isLinked: false, moves));
            }
        }

        return place;
    }

    private Place Of(StoreFolder folder, bool isLinked, int moves)
    {
        store.AddBatchHandles(1);
        _ = folder.TryLook(".", out FileFacts facts, out _, out _);
        var place = new Place(folder, (facts.Device, facts.Inode), isLinked);
        place.Check(moves, _round);
        return place;
    }

    /// <summary>Whether a name still leads to a folder that is held open.</summary>
    private bool IsThere(Place place, TransferName name)
    {
        int moves = store.Moves;
        using StoreFolder? now = tree.TryOpenFolderOf(name, create: false, follow: place.IsLinked, out _);
        if (now is null || !now.TryLook(".", out FileFacts facts, out _, out _) || (facts.Device, facts.Inode) != place.Id)
        {
            return false;
        }

        place.Check(moves, _round);
        return true;
    }

    /// <summary>A folder that is held open for the files of it.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="id">Its device and inode.</param>
    /// <param name="isLinked">Whether the name of its one file is a link.</param>
    internal sealed class Place(StoreFolder folder, (ulong Device, ulong Inode) id, bool isLinked)
    {
        private (int Moves, int Round) _checked;

        public StoreFolder Folder => folder;

        public (ulong Device, ulong Inode) Id => id;

        public bool IsLinked => isLinked;

        public SafeFileHandle Handle => ((NativeFolder)folder).Handle;

        /// <summary>Notes that its name led to it.</summary>
        /// <param name="moves">The <see cref="LocalStore.Moves"/> before that was found out.</param>
        /// <param name="round">The flushes before.</param>
        public void Check(int moves, int round) => _checked = (moves, round);

        /// <summary>Whether nothing is known that can have changed that.</summary>
        public bool IsChecked(int moves, int round) => _checked == (moves, round);
    }

    /// <summary>A file that is written. Disposed without being published, nothing of it remains.</summary>
    internal sealed record Written(
        LocalStore Store, TransferName Name, FilePipeWriter File, Place Place, WritePrecondition Precondition, (FileFacts Facts, long? Stamp, bool IsGiven) Stamped,
        FileDigest? Digest, Reservation Reservation) : IDisposable
    {
        private bool _isDisposed;

        /// <summary>Why it is not durable; null if it is, or need not be.</summary>
        public FilePipeException? Failure { get; set; }

        public void Dispose()
        {
            if (!_isDisposed)
            {
                _isDisposed = true;
                File.Dispose();
                Reservation.ReleaseReservation();
                Store.AddBatchHandles(-HandlesOfFile);
            }
        }
    }
}
