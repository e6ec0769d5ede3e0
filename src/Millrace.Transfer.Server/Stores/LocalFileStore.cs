namespace Millrace.Transfer.Server;

/// <summary>
/// A store in a folder: names are paths below it, everything is published by <see cref="FilePipeWriter.CommitAsync"/>, and
/// uploads and digests are kept in <see cref="TransferName.HiddenFolder"/>.
/// </summary>
public sealed partial class LocalFileStore : IFileStore, IAsyncDisposable
{
    private readonly StoreTree _tree;

    /// <summary>Opens the store of a folder.</summary>
    /// <param name="root">The folder; it has to exist.</param>
    /// <param name="options">How files are kept; null for the defaults.</param>
    public LocalFileStore(string root, LocalFileStoreOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(root);
        Root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        Options = options ?? new LocalFileStoreOptions();
        if (!Directory.Exists(Root))
        {
            throw new DirectoryNotFoundException($"There is no folder '{Root}'; create it, or name another one.");
        }

        _tree = new PortableTree(Root);
        _uploadsPath = Path.Combine(Root, TransferName.HiddenFolder, "uploads");
        Directory.CreateDirectory(_uploadsPath);
    }

    /// <summary>The folder, as an absolute path.</summary>
    public string Root { get; }

    /// <summary>How files are kept.</summary>
    public LocalFileStoreOptions Options { get; }

    internal NameLocks Locks { get; } = new();

    internal DateTimeOffset Now => Options.Clock.GetUtcNow();

    /// <summary>Ends what runs in the background.</summary>
    public ValueTask DisposeAsync()
    {
        foreach (LocalUpload upload in _uploads.Values)
        {
            upload.Dispose();
        }

        _tree.Dispose();
        Locks.Dispose();
        return default;
    }
}
