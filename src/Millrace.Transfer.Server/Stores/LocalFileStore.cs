using System.Globalization;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>
/// A store in a folder: names are paths below it, everything is published by <see cref="FilePipeWriter.CommitAsync(CancellationToken)"/>, and
/// uploads and digests are kept in <c>.millrace</c>. See docs/store.md.
/// </summary>
/// <remarks>
/// One instance a folder: another one, of any process, is refused while this is open. Others may read, place, change and
/// delete files by hand; their changes are noticed, but preconditions hold them off no more than any program does.
/// </remarks>
public sealed class LocalFileStore : IFileStore, IFolderClones, ISymbolicLinks, IAsyncDisposable
{
    private readonly StoreTree _tree;
    private readonly LocalFiles _files;
    private readonly LocalFolders _folders;
    private readonly LocalPublisher _publisher;
    private readonly UploadRegistry _registry;

    private readonly TransferMeter? _ownMeter;

    /// <summary>Whether this opened the folder, and closes it; what <see cref="Within"/> returns only uses it.</summary>
    private readonly bool _isWhole;
    private int _disposed;

    /// <summary>Opens the store of a folder.</summary>
    /// <param name="root">The folder; it has to exist.</param>
    /// <param name="options">Options; null for the defaults.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Failed"/>: the folder is open as a store already, or the store cannot write to it;
    /// <see cref="TransferError.InvalidRequest"/>: <see cref="LocalFileStoreOptions.StatePath"/> is in the folder.
    /// </exception>
    /// <exception cref="ArgumentException"><see cref="LocalFileStoreOptions.StatePath"/> without <see cref="LocalFileStoreOptions.ReadOnly"/>.</exception>
    public LocalFileStore(string root, LocalFileStoreOptions? options = null)
        : this(root, options, meter: null)
    {
    }

    /// <param name="root">The folder.</param>
    /// <param name="options">Options; null for the defaults.</param>
    /// <param name="meter">Counts expired uploads; null for a meter of the store's own.</param>
    internal LocalFileStore(string root, LocalFileStoreOptions? options, TransferMeter? meter)
    {
        ArgumentException.ThrowIfNullOrEmpty(root);
        Core = new LocalStore(root, options ?? new LocalFileStoreOptions());
        _isWhole = true;
        _tree = Core.Tree;
        _registry = new UploadRegistry(Core);
        _files = new LocalFiles(Core, _tree);
        _folders = new LocalFolders(Core, _tree, _files);
        _publisher = new LocalPublisher(Core, _tree, _files);
        _ownMeter = meter is null ? new TransferMeter() : null;
        Upkeep = new LocalUpkeep(Core, _registry, _folders, meter ?? _ownMeter!);
        Uploads = new LocalUploads(Core, _registry, _files, _publisher, Upkeep);
        try
        {
            if (!Options.ReadOnly)
            {
                _registry.Load();
            }

            Upkeep.Start();
        }
        catch
        {
            Core.Unlock();
            throw;
        }
    }

    /// <summary>Another view of an open store.</summary>
    private LocalFileStore(LocalFileStore whole, StoreTree tree, string? caller, bool keepsDeleted)
    {
        Core = whole.Core;
        Upkeep = whole.Upkeep;
        _registry = whole._registry;
        _tree = tree;
        _files = new LocalFiles(Core, tree) { Caller = caller, KeepsDeleted = keepsDeleted };
        _folders = new LocalFolders(Core, tree, _files);
        _publisher = new LocalPublisher(Core, tree, _files);
        Uploads = new LocalUploads(Core, _registry, _files, _publisher, Upkeep);
    }

    /// <summary>The folder, as an absolute path.</summary>
    public string Root => Core.Root;

    /// <summary>The options.</summary>
    public LocalFileStoreOptions Options => Core.Options;

    /// <inheritdoc/>
    public long? MaxFileBytes => Options.MaxFileBytes;

    /// <inheritdoc/>
    public AllowedNames Names => Core.Names;

    /// <inheritdoc/>
    /// <remarks>The kernel joins parts where it can. They stay until they are deleted or expire.</remarks>
    public IUploadStore Uploads { get; }

    /// <inheritdoc/>
    /// <remarks>Files in <c>.millrace</c>.</remarks>
    public IStoreDocuments? Documents => Core.Documents;

    /// <inheritdoc/>
    /// <remarks>Of the store's limit if it has one, of the device otherwise.</remarks>
    public StoreSpace Space => Core.Limits.FindSpace();

    /// <summary>What all views of the folder share.</summary>
    internal LocalStore Core { get; }

    internal LocalUpkeep Upkeep { get; }

    /// <summary>Identifies the version of a file, or a folder: a text that begins with <c>f</c> or <c>d</c>. Null if nothing has the name.</summary>
    internal string? Identify(TransferName name)
    {
        if (name.IsRoot)
        {
            return "d";
        }

        using StoreFolder? folder = _tree.TryOpenFolderOf(name, create: false, follow: true, out string fileName);
        return folder is null || !folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out _) ? null
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{(isFolder ? 'd' : 'f')}{(facts.Inode != 0 ? $"{facts.Device:x}-{facts.Inode:x}" : isFolder ? "" : facts.ToTag().Value)}");
    }

    /// <inheritdoc/>
    /// <remarks>Below the prefix, the kernel decides by the folder that it has opened, where there is such a call.</remarks>
    public IFileStore Within(TransferName prefix) => prefix.IsRoot
        ? this
        : new LocalFileStore(this, _tree.Within(prefix), _files.Caller, _files.KeepsDeleted);

    /// <inheritdoc/>
    public IFileStore OnBehalfOf(string? caller) =>
        Core.Trash is null || caller == _files.Caller ? this : new LocalFileStore(this, _tree, caller, _files.KeepsDeleted);

    /// <inheritdoc/>
    public IFileStore WithoutTrash() =>
        Core.Trash is null || !_files.KeepsDeleted ? this : new LocalFileStore(this, _tree, _files.Caller, keepsDeleted: false);

    /// <inheritdoc/>
    /// <remarks>
    /// A file or folder is renamed to <c>.millrace/trash</c>. A version that is replaced gets a second name there before, or is copied where
    /// the file system, or the framework, has no second names. Links, replaced versions without content, and empty folders that are deleted as such are not kept.
    /// </remarks>
    public IFileTrash? Trash => Core.Trash is { } trash ? new LocalTrashView(trash, _folders) : null;

    /// <inheritdoc/>
    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _files.FindAsync(Names.Check(name), digest, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _files.OpenReadAsync(Names.Check(name), digest, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        _publisher.CreateAsync(CheckChange(name), options, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken) =>
        _files.FolderExistsAsync(Names.Check(folder), cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// The names of a large folder are kept in memory, up to 96 MiB for all folders, for 30 seconds after its last listing: the cost of
    /// a page depends on its entries, not on the folder's. A page after the first one may be made from names that are older than
    /// the folder's last change, by up to 20 times as long as it took to read them. A name that exists throughout a listing is always
    /// listed once, one that comes or goes meanwhile at most once. Links to files and folders of the store are listed as these; a
    /// recursive listing does not go into linked folders, which could lead in circles. Only so many listings run at once that a
    /// processor is left for transfers.
    /// </remarks>
    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        Names.Check(options.Folder);
        return _files.ListAsync(options, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Names are read without looking at the files, the nearest folders first; links to folders are not followed. Every 10 milliseconds
    /// a page is returned, so that the caller decides when to go on.
    /// </remarks>
    public async IAsyncEnumerable<SearchPage> SearchAsync(
        SearchFilesOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var walk = new NameWalk(Core, _tree, Names.Check(options.Folder), NameQuery.Parse(options.Text ?? ""));
        while (!walk.IsDone)
        {
            await WalkAsync(walk, cancellationToken);
            yield return walk.TakePage();
        }
    }

    /// <inheritdoc/>
    /// <remarks>As a search; files that are linked count where they are.</remarks>
    public async IAsyncEnumerable<FolderUsage> MeasureAsync(
        TransferName folder, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var walk = new UsageWalk(Core, _tree, Names.Check(folder));
        while (!walk.IsDone)
        {
            await WalkAsync(walk, cancellationToken);
            yield return walk.Usage;
        }
    }

    /// <inheritdoc/>
    /// <remarks>A link is deleted itself, and only where it leads to a file of the store.</remarks>
    public ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        _files.DeleteAsync(CheckChange(name), precondition, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// The folder disappears in one step, and is then deleted; the next process deletes the remains that a killed one leaves. Links in it
    /// are deleted, never followed. A folder that is, or contains, the folder of another store is refused, and so is one with anything
    /// that no listing shows, unless only the folders above it make its name too long.
    /// </remarks>
    public ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken) =>
        _folders.DeleteAsync(CheckChange(folder), cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// A link is moved itself, only within its folder, where it leads to the same file, and only if that is a file or folder of the
    /// store. A known digest moves along. Uploads and writes that have begun keep the name that they were begun with, except that a
    /// write into a folder that is moved meanwhile follows it, where the kernel resolves names.
    /// </remarks>
    public ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        _folders.MoveAsync(CheckChange(from), Names.Check(to), options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>The blocks are shared where the file system can do that (a reflink), and copied by the kernel otherwise.</remarks>
    public ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        _publisher.CopyAsync(Names.Check(from), CheckChange(to), options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>A file with several names (hard links) is replaced by a copy: its other names keep their date.</remarks>
    public async ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        await _files.TrySetModifiedAsync(CheckChange(name), modified, precondition, cancellationToken)
        ?? await _publisher.ReplaceByCopyAsync(name, modified, precondition, cancellationToken);

    /// <inheritdoc/>
    public ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken) =>
        _folders.CreateAsync(CheckChange(folder), cancellationToken);

    /// <summary>Begins files that share their waits for the device; null where that is not possible, or nothing may be written.</summary>
    internal LocalBatch? TryBeginBatch() => Core.Native && !Options.ReadOnly ? new LocalBatch(Core, _tree, _files, _publisher) : null;

    private TransferName CheckChange(TransferName name) => Options.ReadOnly ? throw Errors.ReadOnly(name) : Names.Check(name);

    /// <summary>Opens a file for a scrub; see <see cref="LocalFiles.OpenOnDeviceAsync"/>.</summary>
    internal ValueTask<StoredFileReader> OpenOnDeviceAsync(TransferName name, CancellationToken cancellationToken) =>
        _files.OpenOnDeviceAsync(name, cancellationToken);

    private static async ValueTask WalkAsync(TreeWalk walk, CancellationToken cancellationToken)
    {
        // Reading folders is not for the thread of a request.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        walk.Advance(cancellationToken);
    }

    ValueTask<(StoredFile Link, bool IsNew)> ISymbolicLinks.CreateSymbolicLinkAsync(
        TransferName name, string target, WritePrecondition precondition, CancellationToken cancellationToken) =>
        Links.CreateAsync(CheckChange(name), target, precondition, cancellationToken);

    ValueTask<bool> ISymbolicLinks.DeleteSymbolicLinkAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        Links.DeleteAsync(CheckChange(name), precondition, cancellationToken);

    private LocalLinks Links => new(Core, _tree, _files);

    ValueTask<ClonedFolder> IFolderClones.CloneFolderAsync(TransferName folder, TransferName clone, CancellationToken cancellationToken) =>
        new LocalClones(Core, _tree).CloneAsync(CheckChange(folder), Names.Check(clone), cancellationToken);

    ValueTask IFolderClones.ExchangeFoldersAsync(
        TransferName folder, TransferName other, WritePrecondition precondition, CancellationToken cancellationToken) =>
        new LocalClones(Core, _tree).ExchangeAsync(CheckChange(folder), Names.Check(other), precondition, cancellationToken);

    /// <summary>Stops the background work and releases the folder. Dispose readers and writers before.</summary>
    public async ValueTask DisposeAsync()
    {
        if (!_isWhole || Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await Upkeep.DisposeAsync();
        _registry.Dispose();
        await Core.DisposeAsync();
        _ownMeter?.Dispose();
    }
}
