namespace Millrace.Transfer.Server;

/// <summary>Listing.</summary>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        var found = new List<FileEntry>();
        using StoreFolder folder = _tree.TryOpenFolder(options.Folder) ?? throw StoreErrors.NoFolder(options.Folder);
        Collect(folder.PathOf(""), options.Folder, options, found, cancellationToken);
        found.Sort(static (left, right) => left.Name.CompareTo(right.Name));
        List<FileEntry> page = [.. found.Take(options.PageSize)];
        return new ValueTask<FilePage>(new FilePage(page, found.Count > page.Count ? page[^1].Name : default));
    }

    private static void Collect(
        string path, TransferName folder, in ListFilesOptions options, List<FileEntry> found, CancellationToken cancellationToken)
    {
        foreach (FileSystemInfo entry in new DirectoryInfo(path).EnumerateFileSystemInfos())
        {
            cancellationToken.ThrowIfCancellationRequested();
            string text = folder.IsRoot ? entry.Name : $"{folder}/{entry.Name}";
            if (entry.LinkTarget is not null || !TransferName.TryParse(text, out TransferName name, out _))
            {
                continue;
            }

            bool isFolder = entry.Attributes.HasFlag(FileAttributes.Directory);
            if (isFolder && options.Recursive)
            {
                Collect(entry.FullName, name, options, found, cancellationToken);
                continue;
            }

            string below = options.Folder.IsRoot ? text : text[(options.Folder.Value.Length + 1)..];
            if (name <= options.After || !below.StartsWith(options.Prefix ?? "", StringComparison.Ordinal))
            {
                continue;
            }

            StoredFile? file = isFolder ? null : PortableTree.FactsOf((FileInfo)entry).ToFile(name, digest: null);
            found.Add(new FileEntry(name, file, new DateTimeOffset(entry.LastWriteTimeUtc)));
        }
    }
}
