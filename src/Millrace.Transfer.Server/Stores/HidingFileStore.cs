using System.IO.Enumeration;

namespace Millrace.Transfer.Server;

/// <summary>Hides names of a store.</summary>
public static class FileStoreExtensions
{
    /// <summary>
    /// The same store without files and folders of some names, nor anything in such folders: they are neither found nor listed, and nothing
    /// can be created, replaced or deleted there. A folder that contains some is deleted or moved only with
    /// <see cref="DeleteFolderOptions.IncludeHidden"/> or <see cref="MoveOptions.IncludeHidden"/>, and then they go with it.
    /// </summary>
    /// <param name="store">The store, which stays yours to dispose.</param>
    /// <param name="patterns">
    /// Patterns for one part of a name, with <c>*</c> for any characters and <c>?</c> for one: <c>.*</c> for all names that begin with a dot.
    /// </param>
    /// <returns>The store itself without patterns.</returns>
    /// <exception cref="ArgumentException">A pattern is empty or has a slash.</exception>
    public static IFileStore Hiding(this IFileStore store, IReadOnlyList<string> patterns)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(patterns);
        foreach (string pattern in patterns)
        {
            if (string.IsNullOrEmpty(pattern) || pattern.Contains('/', StringComparison.Ordinal))
            {
                throw new ArgumentException(
                    $"'{pattern}' is not a pattern for one part of a name; use for example '.*' or '*.tmp', without slashes.", nameof(patterns));
            }
        }

        return patterns.Count == 0 ? store : new HidingFileStore(store, [.. patterns]);
    }

    /// <summary>The name of the folder that is served; empty for another store.</summary>
    internal static string Title(this IFileStore store) => store.Unwrap() is LocalFileStore { Root: var root }
        ? PrintableText.Clean(Path.GetFileName(Path.TrimEndingDirectorySeparator(root)))
        : "";

    /// <summary>The store inside a decorator of this library.</summary>
    internal static IFileStore Unwrap(this IFileStore store) => store switch
    {
        HidingFileStore hiding => hiding.Inner.Unwrap(),
        EventStore reporting => reporting.Inner.Unwrap(),
        _ => store,
    };
}

/// <summary>A store without some names. Thread-safe.</summary>
internal sealed class HidingFileStore(IFileStore inner, string[] patterns) : IFileStore
{
    public IFileStore Inner => inner;

    public long? MaxFileBytes => inner.MaxFileBytes;

    public IUploadStore Uploads { get; } = new HidingUploads(inner.Uploads, patterns);

    public bool CanMoveFolders => inner.CanMoveFolders;

    public AllowedNames Names => inner.Names;

    public IStoreDocuments? Documents => inner.Documents;

    public StoreSpace Space => inner.Space;

    public IFileTrash? Trash => inner.Trash is { } trash ? new HidingTrash(trash, patterns) : null;

    public IFileStore Within(TransferName prefix) => Wrap(inner.Within(prefix));

    public IFileStore OnBehalfOf(string? caller) => Wrap(inner.OnBehalfOf(caller));

    public IFileStore WithoutTrash() => Wrap(inner.WithoutTrash());

    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        Hides(name) ? default : inner.FindAsync(name, digest, cancellationToken);

    public ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        Hides(name) ? throw Errors.NoFile(name) : inner.OpenReadAsync(name, digest, cancellationToken);

    public ValueTask<StoredFileWriter> CreateAsync(TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        inner.CreateAsync(Check(name, patterns), options, cancellationToken);

    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken) =>
        Hides(folder) ? default : inner.FolderExistsAsync(folder, cancellationToken);

    /// <remarks>Without empty pages before the end, which clients do not expect.</remarks>
    public async ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        if (Hides(options.Folder))
        {
            throw Errors.NoFolder(options.Folder);
        }

        // The target of a link may be hidden.
        options = options with { SymbolicLinks = false };
        OmittedEntries omitted = default;
        while (true)
        {
            FilePage page = await inner.ListAsync(options, cancellationToken);
            omitted += page.Omitted;
            List<FileEntry> shown = [.. page.Entries.Where(entry => !Hides(entry.Name))];
            if (shown.Count > 0 || page.Next.IsRoot)
            {
                return page with { Entries = shown, Omitted = omitted };
            }

            options = options with { After = page.Next };
        }
    }

    public ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        Hides(name) ? default : inner.DeleteAsync(name, precondition, cancellationToken);

    public async ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken)
    {
        if (Hides(folder))
        {
            return false;
        }

        if (!options.IncludeHidden)
        {
            await ThrowIfHidingAsync(folder, "deleted", cancellationToken);
        }

        return await inner.DeleteFolderAsync(folder, options, cancellationToken);
    }

    public async ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        if (Hides(from))
        {
            throw Errors.NothingThere(from);
        }

        Check(to, patterns);
        if (!options.IncludeHidden)
        {
            await ThrowIfHidingAsync(from, "moved", cancellationToken);
        }

        return await inner.MoveAsync(from, to, options, cancellationToken);
    }

    public ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        Hides(from) ? throw Errors.NoFile(from) : inner.CopyAsync(from, Check(to, patterns), options, cancellationToken);

    public ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        Hides(name) ? throw Errors.NoFile(name) : inner.SetModifiedAsync(name, modified, precondition, cancellationToken);

    public ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken) =>
        inner.CreateFolderAsync(Check(folder, patterns), cancellationToken);

    /// <summary>Whether a part of a name is hidden, and so the file or folder.</summary>
    public static bool Hides(TransferName name, string[] patterns)
    {
        foreach (Range part in name.Value.AsSpan().Split('/'))
        {
            ReadOnlySpan<char> text = name.Value.AsSpan(part);
            foreach (string pattern in patterns)
            {
                // Systems without case would find the file by another spelling.
                if (!text.IsEmpty && FileSystemName.MatchesSimpleExpression(pattern, text, ignoreCase: true))
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>Throws if files of a name are hidden, by this store or by one that it decorates.</summary>
    public void ThrowIfHidden(TransferName name)
    {
        Check(name, patterns);
        (inner as HidingFileStore)?.ThrowIfHidden(name);
    }

    public static TransferName Check(TransferName name, string[] patterns) => Hides(name, patterns)
        ? throw new TransferException(
            TransferError.Forbidden, $"'{name}' has a name that this server hides. Choose another one.", name.Value)
        : name;

    private bool Hides(TransferName name) => Hides(name, patterns);

    private HidingFileStore Wrap(IFileStore store) => ReferenceEquals(store, inner) ? this : new HidingFileStore(store, patterns);

    /// <summary>A caller must not delete or move a hidden file with its folder unless they ask for it.</summary>
    private async ValueTask ThrowIfHidingAsync(TransferName folder, string verb, CancellationToken cancellationToken)
    {
        if (!await inner.FolderExistsAsync(folder, cancellationToken))
        {
            return;
        }

        int hidden = await CountHiddenAsync(folder, cancellationToken);
        if (hidden > 0)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"The folder '{folder}' is not {verb}: it contains {hidden} files or folders that this server hides. Ask for them to be {verb} too, or delete or move them on the server first.",
                folder.Value)
            {
                Status = StatusCodes.Status409Conflict,
                Omitted = hidden,
                Hidden = hidden,
            };
        }
    }

    /// <summary>Folder by folder: a recursive listing has no folders, and a hidden one may be empty.</summary>
    private async ValueTask<int> CountHiddenAsync(TransferName top, CancellationToken cancellationToken)
    {
        int hidden = 0;
        var pending = new Stack<TransferName>([top]);
        while (pending.TryPop(out TransferName folder))
        {
            var options = new ListFilesOptions { Folder = folder };
            do
            {
                FilePage page = await inner.ListAsync(options, cancellationToken);
                foreach (FileEntry entry in page.Entries)
                {
                    if (Hides(entry.Name))
                    {
                        hidden++;
                    }
                    else if (entry.IsFolder)
                    {
                        pending.Push(entry.Name);
                    }
                }

                options = options with { After = page.Next };
            }
            while (!options.After.IsRoot);
        }

        return hidden;
    }

    private sealed class HidingUploads(IUploadStore inner, string[] patterns) : IUploadStore
    {
        public ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken)
        {
            Check(options.Name, patterns);
            return inner.StartAsync(options, cancellationToken);
        }

        public ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken) => inner.FindAsync(id, cancellationToken);

        public ValueTask<StoredUpload> JoinAsync(
            StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
        {
            Check(options.Name, patterns);
            return inner.JoinAsync(options, parts, cancellationToken);
        }

        public ValueTask<int> ExpireAsync(CancellationToken cancellationToken) => inner.ExpireAsync(cancellationToken);
    }

    private sealed class HidingTrash(IFileTrash inner, string[] patterns) : IFileTrash
    {
        public async ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken)
        {
            TrashPage page = await inner.ListAsync(options, cancellationToken);
            return page with { Entries = [.. page.Entries.Where(entry => !Hides(entry.Name, patterns))] };
        }

        public async ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken) =>
            await inner.FindAsync(id, cancellationToken) is { } entry && !Hides(entry.Name, patterns) ? entry : null;

        public async ValueTask<TransferName> RestoreAsync(string id, TransferName name, CancellationToken cancellationToken)
        {
            TrashEntry entry = await FindAsync(id, cancellationToken) ?? throw TrashRules.NotFound(id);
            return await inner.RestoreAsync(entry.Id, Check(name, patterns), cancellationToken);
        }

        public async ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken) =>
            await FindAsync(id, cancellationToken) is not null && await inner.DeleteAsync(id, cancellationToken);
    }
}
