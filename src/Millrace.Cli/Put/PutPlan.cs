using Millrace.Interop;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Finds out what there is to upload, and under which names, before anything is sent.</summary>
internal static class PutPlan
{
    /// <summary>Makes the plan. Files that cannot be uploaded are in it too, with the reason.</summary>
    public static List<TransferItem> Make(IReadOnlyList<string> sources, TransferTarget target, bool links = false)
    {
        if (!target.IsFolder)
        {
            return [MakeOne(sources, target)];
        }

        var items = new List<TransferItem>();
        foreach (string source in sources)
        {
            if (source == TransferItem.Standard)
            {
                throw Wrong("Standard input has no name. Give the URL of a file, without a final slash.");
            }

            if (Directory.Exists(source))
            {
                items.AddRange(LocalFolder.Files(source, target.Name, NameOf(source), links).Select(item => OfFolder(item, source, target)));
            }
            else
            {
                items.Add(File(source, NameOf(source), target));
            }
        }

        var names = new Dictionary<TransferName, string>();
        foreach (TransferItem item in items.Where(item => item.Refused is null))
        {
            if (!names.TryAdd(item.Name, item.Path))
            {
                throw Wrong(
                    $"'{names[item.Name]}' and '{item.Path}' would both become {item.Url}. Put one of them into another folder.");
            }
        }

        return items;
    }

    /// <summary>Adds the server's files of the same names to the files of folders, by one listing of each folder.</summary>
    public static async Task<List<TransferItem>> WithRemoteAsync(
        List<TransferItem> items, IReadOnlyList<string> sources, TransferTarget target, TransferClient client, bool links, CancellationToken cancellationToken)
    {
        var remote = new Dictionary<TransferName, RemoteEntry>();
        foreach (string source in sources.Where(Directory.Exists))
        {
            try
            {
                await foreach (RemoteEntry entry in client
                    .ListAsync(new ListOptions { Folder = target.Name.Append(NameOf(source)), Recursive = true, SymbolicLinks = links }, cancellationToken)
                    .ConfigureAwait(false))
                {
                    remote[entry.Name] = entry;
                }
            }
            catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Forbidden or TransferError.InvalidName)
            {
                // Nothing is there, or this token may only write: all are sent.
            }
        }

        return [.. items.Select(item => item.IsFound && remote.TryGetValue(item.Name, out RemoteEntry? entry) ? item with { Remote = entry } : item)];
    }

    private static TransferItem MakeOne(IReadOnlyList<string> sources, TransferTarget target)
    {
        if (sources.Count > 1)
        {
            throw Wrong(
                $"{sources.Count} files cannot all become {target.Text}. If it is a folder, write {target.Text}/ with a final slash.");
        }

        string source = sources[0];
        if (Directory.Exists(source))
        {
            throw Wrong($"'{source}' is a folder. Give a folder as the destination: {target.Text}/ with a final slash.");
        }

        string url = target.UrlOf(target.Name);
        return source == TransferItem.Standard
            ? new TransferItem(source, target.Name, url, Bytes: null)
            : Of(source, target.Name, url);
    }

    private static TransferItem OfFolder(FolderItem item, string source, TransferTarget target)
    {
        TransferItem planned = item.Fault is null
            ? new TransferItem(item.Path, item.Name, target.UrlOf(item.Name), item.Length) { LinkTarget = item.LinkTarget }
            : Refused(item.Path, $"{NameOf(source)}/{Path.GetRelativePath(source, item.Path)}", target, item.Fault);
        return planned with { IsFound = true };
    }

    private static TransferItem File(string path, string below, TransferTarget target)
    {
        try
        {
            // Given by its name, it may be a pipe on purpose, as a shell's <(…) is.
            TransferName name = target.Name.Append(below);
            return Of(path, name, target.UrlOf(name));
        }
        catch (TransferException exception)
        {
            return Refused(path, below, target, exception);
        }
    }

    private static TransferItem Of(string path, TransferName name, string url)
    {
        var file = new FileInfo(path);
        if (!file.Exists)
        {
            return new TransferItem(path, name, url, Bytes: 0)
            {
                Refused = new FileNotFoundException($"There is no file '{path}'.", path),
            };
        }

        return new TransferItem(path, name, url, SpecialFile.Is(path) ? null : LengthOf(file));
    }

    private static TransferItem Refused(string path, string below, TransferTarget target, Exception why) =>
        new(path, default, target.UrlOf(target.Name, folder: true) + Uri.EscapeDataString(below), Bytes: 0) { Refused = why };

    // A link's own length is that of its text.
    private static long LengthOf(FileInfo file) =>
        (file.ResolveLinkTarget(returnFinalTarget: true) ?? file) is FileInfo { Exists: true } target ? target.Length : 0;

    private static string NameOf(string path)
    {
        string name = Path.GetFileName(Path.TrimEndingDirectorySeparator(path));
        return name is "" or "." or ".." ? Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path))) : name;
    }

    private static TransferException Wrong(string message) => new(TransferError.InvalidRequest, message);
}
