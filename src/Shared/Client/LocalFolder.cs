using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>A folder here: which files it has, and where those of a server go in it.</summary>
internal sealed class LocalFolder
{
    private readonly string _root;

    public LocalFolder(string path)
    {
        // The root may be a symlink and is followed.
        string full = Directory.CreateDirectory(path).FullName;
        _root = Path.TrimEndingDirectorySeparator(Real(full));
    }

    /// <summary>Whether Millrace made it for itself: a store's folder, a staged file, or an unfinished download.</summary>
    public static bool IsOwn(ReadOnlySpan<char> name) => name is ".millrace" || name.StartsWith(".millrace-")
        || name.EndsWith(".millrace-part") || name.EndsWith(".millrace-part.json");

    /// <summary>The files below a folder with their names in a store, those of each folder before those of the folders in it.</summary>
    /// <param name="path">The folder, which may be a link.</param>
    /// <param name="folder">The folder in the store.</param>
    /// <param name="name">Its name there; empty if what is in it goes into <paramref name="folder"/>.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    public static IEnumerable<FolderItem> Files(string path, TransferName folder, string name = "")
    {
        var pending = new Stack<(string Path, string Name)>([(path, name)]);
        while (pending.TryPop(out (string Path, string Name) next))
        {
            FileSystemInfo[] entries = [];
            Exception? fault = null;
            try
            {
                entries = new DirectoryInfo(next.Path).GetFileSystemInfos();
            }
            catch (Exception exception) when (next.Path != path && exception is IOException or UnauthorizedAccessException)
            {
                fault = exception;
            }

            if (fault is not null)
            {
                yield return new FolderItem(default, next.Path, fault);
                continue;
            }

            Array.Sort(entries, static (left, right) => string.CompareOrdinal(left.Name, right.Name));
            foreach (FileSystemInfo entry in entries)
            {
                if (!IsOwn(entry.Name) && entry is not DirectoryInfo { LinkTarget: null })
                {
                    yield return Item(Path.Combine(next.Path, entry.Name), Below(next.Name, entry.Name), entry is DirectoryInfo);
                }
            }

            foreach (FileSystemInfo entry in Enumerable.Reverse(entries))
            {
                if (!IsOwn(entry.Name) && entry is DirectoryInfo { LinkTarget: null })
                {
                    pending.Push((Path.Combine(next.Path, entry.Name), Below(next.Name, entry.Name)));
                }
            }
        }

        FolderItem Item(string file, string below, bool isLink)
        {
            try
            {
                // Read like a file, a FIFO would be waited for, and a device read without an end.
                TransferName whole = folder.Append(below);
                return isLink ? new FolderItem(whole, file, LeftOut(file, "a link to a folder", " Put that folder separately."), IsLink: true)
                    : new FolderItem(whole, file, SpecialFile.Is(file) ? LeftOut(file, "a FIFO, a socket or a device") : null);
            }
            catch (TransferException exception)
            {
                return new FolderItem(default, file, exception);
            }
        }

        static string Below(string name, string entry) => name.Length == 0 ? entry : $"{name}/{entry}";
    }

    /// <summary>Why a file of the server cannot exist here under its name; null if it can.</summary>
    /// <param name="name">The file's name below the folder here.</param>
    /// <param name="isWindows">Whether the system is Windows, where <c>a:b</c> is a stream of <c>a</c>, for example.</param>
    public static TransferException? Refuse(TransferName name, bool isWindows) => isWindows && !name.IsPortable
        ? new TransferException(TransferError.InvalidName, $"'{name}' is no name of a file on Windows and was left out.", name.Value)
        : null;

    /// <summary>The name of a file of the server as one of a folder.</summary>
    public static TransferName Below(TransferName name, TransferName folder) =>
        folder.IsRoot ? name : TransferName.Parse(name.Value[(folder.Value.Length + 1)..]);

    /// <summary>Where a file of the server goes, or why it cannot.</summary>
    public FolderItem ItemOf(TransferName name, TransferName folder)
    {
        TransferName below = Below(name, folder);
        return Refuse(below, OperatingSystem.IsWindows()) is { } fault
            ? new FolderItem(name, _root, fault)
            : new FolderItem(name, Path.Combine(_root, below.Value.Replace('/', Path.DirectorySeparatorChar)));
    }

    /// <summary>Makes the folders of a file, and looks whether a link leads out of the root.</summary>
    public void Prepare(string path, TransferName name)
    {
        string relative = Path.GetRelativePath(_root, path);
        string at = _root;
        foreach (string part in relative.Split(Path.DirectorySeparatorChar))
        {
            at = Path.Combine(at, part);
            FileSystemInfo info = new FileInfo(at);
            if (info.LinkTarget is null)
            {
                continue;
            }

            // Everything below a link is below its target.
            at = Real(at);
            if (!at.StartsWith(_root + Path.DirectorySeparatorChar, StringComparison.Ordinal))
            {
                throw new TransferException(
                    TransferError.Forbidden,
                    $"'{name}' would be written outside '{_root}', because '{at}' is where a link in it leads. Remove the link.",
                    name.Value);
            }
        }

        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
    }

    private static TransferException LeftOut(string path, string kind, string advice = "") =>
        new(TransferError.InvalidRequest, $"'{path}' is {kind} and was left out.{advice}");

    private static string Real(string path)
    {
        string root = Path.GetPathRoot(path) ?? "";
        string real = root;
        foreach (string part in path[root.Length..].Split(Path.DirectorySeparatorChar, StringSplitOptions.RemoveEmptyEntries))
        {
            real = Path.Combine(real, part);
            if (new FileInfo(real).ResolveLinkTarget(returnFinalTarget: true) is { } target)
            {
                real = target.FullName;
            }
        }

        return real;
    }
}

/// <summary>A file of a folder that is moved.</summary>
/// <param name="Name">Its name in the store; <c>default</c> when it has none.</param>
/// <param name="Path">Its path here.</param>
/// <param name="Fault">Why it cannot be moved; null when it can.</param>
/// <param name="IsLink">Whether it is a link to a folder.</param>
internal readonly record struct FolderItem(TransferName Name, string Path, Exception? Fault = null, bool IsLink = false)
{
    public void ThrowIfUnusable()
    {
        if (Fault is not null)
        {
            throw Fault;
        }
    }
}

/// <summary>Tells how far one file of a folder is.</summary>
internal sealed class ItemProgress(FolderItem item, IProgress<FolderProgress> progress) : IProgress<TransferProgress>
{
    private TransferProgress _last;

    public void Report(TransferProgress value)
    {
        _last = value;
        progress.Report(new FolderProgress(item.Name, item.Path, value, null, null));
    }

    public void Finish(TransferResult result) =>
        progress.Report(new FolderProgress(item.Name, item.Path, _last, result, null));

    public void Fail(Exception exception) =>
        progress.Report(new FolderProgress(item.Name, item.Path, _last, null, exception));
}
