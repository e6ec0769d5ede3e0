using System.IO.Enumeration;
using System.Security.Cryptography;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>A folder here: which files it has, and where those of a server go in it.</summary>
internal sealed class LocalFolder
{
    private readonly string _root;

    // The files of a folder follow one another.
    private volatile string? _prepared;

    public LocalFolder(string path)
    {
        // The root may be a symlink and is followed.
        string full = Directory.CreateDirectory(path).FullName;
        _root = Path.TrimEndingDirectorySeparator(Real(full));
    }

    /// <summary>Whether Millrace made it for itself: a store's folder, a staged file, or an unfinished download.</summary>
    public static bool IsOwn(ReadOnlySpan<char> name) => name is ".millrace" || name.StartsWith(".millrace-")
        || name.EndsWith(".millrace-part") || name.EndsWith(".millrace-part.json");

    /// <summary>The files below a folder with their names in a store, in the order of these names.</summary>
    /// <param name="path">The folder, which may be a link.</param>
    /// <param name="folder">The folder in the store.</param>
    /// <param name="name">Its name there; empty if its contents go into <paramref name="folder"/>.</param>
    /// <param name="links">Whether links are moved as such, and not their targets.</param>
    /// <param name="depth">How many folders of the one that is moved the folder is in.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    public static IEnumerable<FolderItem> Files(string path, TransferName folder, string name = "", bool links = false, int depth = 0)
    {
        var open = new Stack<(string Path, string Name, Entry[] Entries, int Next)>([(path, name, Read(path), 0)]);
        while (open.TryPop(out (string Path, string Name, Entry[] Entries, int Next) at))
        {
            if (at.Next == at.Entries.Length)
            {
                continue;
            }

            open.Push(at with { Next = at.Next + 1 });
            Entry entry = at.Entries[at.Next];
            string inner = Path.Combine(at.Path, entry.Name);
            string below = at.Name.Length == 0 ? entry.Name : $"{at.Name}/{entry.Name}";
            if (entry.IsFolder)
            {
                Exception? fault = null;
                try
                {
                    open.Push((inner, below, Read(inner), 0));
                }
                catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                {
                    fault = exception;
                }

                if (fault is not null)
                {
                    yield return new FolderItem(default, inner, fault);
                }
            }
            else
            {
                yield return links && SymbolicLink.Read(inner) is { } target
                    ? DescribeLink(inner, below, folder, depth + below.AsSpan(name.Length == 0 ? 0 : name.Length + 1).Count('/'), target)
                    : Describe(inner, below, folder, entry.IsLink);
            }
        }
    }

    /// <summary>The same of one entry of a folder: a file, or all files of a folder; nothing if there is neither.</summary>
    /// <param name="path">The entry.</param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="links">Whether links are moved as such.</param>
    public static IEnumerable<FolderItem> At(string path, TransferName name, bool links = false)
    {
        if (links && SymbolicLink.Read(path) is { } target)
        {
            return [DescribeLink(path, name.Value, default, name.Value.AsSpan().Count('/'), target)];
        }

        FileAttributes attributes = new FileInfo(path).Attributes;
        if (attributes == (FileAttributes)(-1))
        {
            return [];
        }

        bool isLink = attributes.HasFlag(FileAttributes.ReparsePoint);
        bool isFolder = attributes.HasFlag(FileAttributes.Directory);
        return isFolder && !isLink ? Files(path, default, name.Value, links, depth: name.Value.AsSpan().Count('/') + 1) : [Describe(path, name.Value, default, isFolder)];
    }

    /// <summary>The entries of a folder, sorted so that the whole names of all files below are in order: a folder's files follow its slash.</summary>
    private static Entry[] Read(string path)
    {
        Entry[] entries =
        [
            .. new FileSystemEnumerable<Entry>(
                path,
                static (ref FileSystemEntry entry) => entry.IsDirectory
                    ? Entry.OfFolder(entry.FileName.ToString(), entry.Attributes.HasFlag(FileAttributes.ReparsePoint))
                    : new Entry(entry.FileName.ToString(), IsFolder: false, IsLink: false),
                new EnumerationOptions { AttributesToSkip = FileAttributes.None, IgnoreInaccessible = false })
            {
                ShouldIncludePredicate = static (ref FileSystemEntry entry) => !IsOwn(entry.FileName),
            },
        ];
        Array.Sort(entries, Entry.Compare);
        return entries;
    }

    private static FolderItem DescribeLink(string path, string below, TransferName folder, int depth, string target)
    {
        try
        {
            TransferName whole = folder.Append(below);
            return SymbolicLink.StaysInside(depth, target)
                ? new FolderItem(whole, path) { LinkTarget = target }
                : new FolderItem(
                    whole, path, LeftOut(path, "a link that is absolute, leads out of the folder, or has '..' after a name,", " Make it relative, or move its target."));
        }
        catch (TransferException exception)
        {
            return new FolderItem(default, path, exception);
        }
    }

    private static FolderItem Describe(string path, string below, TransferName folder, bool isLink)
    {
        try
        {
            TransferName whole = folder.Append(below);
            if (isLink)
            {
                return new FolderItem(whole, path, LeftOut(path, "a link to a folder", " Put that folder separately."), IsLink: true);
            }

            // Read like a file, a FIFO would be waited for, and a device read without an end.
            return LocalTime.TryLook(path, out long length, out FileTime modified)
                ? new FolderItem(whole, path) { Length = length, Modified = modified }
                : new FolderItem(whole, path, NoFile(path));
        }
        catch (TransferException exception)
        {
            return new FolderItem(default, path, exception);
        }
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

    /// <summary>The digest of a file here.</summary>
    /// <exception cref="FilePipeException">It cannot be read.</exception>
    public static async ValueTask<Sha256Digest> HashAsync(string path, CancellationToken cancellationToken)
    {
        Stream content = FilePipe.OpenRead(path).AsStream();
        await using (content.ConfigureAwait(false))
        {
            return new Sha256Digest(await SHA256.HashDataAsync(content, cancellationToken).ConfigureAwait(false));
        }
    }

    /// <summary>Makes a link that the server has. No link is on the way to it, and it does not lead out, also not through others.</summary>
    /// <param name="path">Where it goes.</param>
    /// <param name="name">Its name on the server.</param>
    /// <param name="target">The target, as the server sent it.</param>
    /// <param name="replace">Whether it may take the place of a file or a link.</param>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public void CreateLink(string path, TransferName name, string target, bool replace)
    {
        string folder = Path.GetDirectoryName(path)!;
        string relative = Path.GetRelativePath(_root, path);
        if (!SymbolicLink.StaysInside(relative.AsSpan().Count(Path.DirectorySeparatorChar), target))
        {
            throw LeadsOut(name);
        }

        ThrowIfLinked(folder, name);
        Directory.CreateDirectory(folder);
        string real = "";
        try
        {
            real = Real(Path.GetFullPath(target.Replace('/', Path.DirectorySeparatorChar), folder));
        }
        catch (IOException)
        {
            // Links that lead to each other lead nowhere.
        }

        if (real != _root && !real.StartsWith(_root + Path.DirectorySeparatorChar, StringComparison.Ordinal))
        {
            throw LeadsOut(name);
        }

        SymbolicLink.Create(path, target, replace && (SymbolicLink.Read(path) is not null || File.Exists(path)));
    }

    /// <summary>Makes the folders of a file that is written, not through links.</summary>
    /// <param name="path">Where it goes.</param>
    /// <param name="name">Its name on the server.</param>
    /// <param name="replace">Whether a link of its name is deleted; it keeps a file from being created otherwise.</param>
    public void PrepareWithoutLinks(string path, TransferName name, bool replace)
    {
        string folder = Path.GetDirectoryName(path)!;
        ThrowIfLinked(folder, name);
        Directory.CreateDirectory(folder);
        if (replace && SymbolicLink.Read(path) is not null)
        {
            SymbolicLink.Delete(path);
        }
    }

    private void ThrowIfLinked(string folder, TransferName name)
    {
        string at = _root;
        string relative = Path.GetRelativePath(_root, folder);
        foreach (string part in relative == "." ? [] : relative.Split(Path.DirectorySeparatorChar))
        {
            at = Path.Combine(at, part);
            if (SymbolicLink.Read(at) is not null)
            {
                throw new TransferException(
                    TransferError.Forbidden, $"'{name}' would be written through the link '{at}'. Remove the link.", name.Value);
            }
        }
    }

    private static TransferException LeadsOut(TransferName name) => new(
        TransferError.Forbidden, $"The link '{name}' is absolute or leads out of the folder that it would be in, and was not made.", name.Value);

    /// <summary>Makes the folders of a file, and looks whether a link leads out of the root.</summary>
    public void Prepare(string path, TransferName name)
    {
        string folder = Path.GetDirectoryName(path)!;
        string at = _root;
        bool isLinked = false;
        foreach (string part in Path.GetRelativePath(at, path).Split(Path.DirectorySeparatorChar))
        {
            // Each time each of them, as any may have become a link since the last file.
            at = Path.Combine(at, part);
            FileSystemInfo info = new FileInfo(at);
            if (info.LinkTarget is null)
            {
                continue;
            }

            // Everything below a link is below its target.
            isLinked = true;
            at = Real(at);
            if (!at.StartsWith(_root + Path.DirectorySeparatorChar, StringComparison.Ordinal))
            {
                throw new TransferException(
                    TransferError.Forbidden,
                    $"'{name}' would be written outside '{_root}', because '{at}' is where a link in it leads. Remove the link.",
                    name.Value);
            }
        }

        if (isLinked || folder != _prepared || !IsFolder(folder))
        {
            Directory.CreateDirectory(folder);
            _prepared = isLinked ? null : folder;
        }
    }

    /// <summary>Whether it is a folder, and not a link to one.</summary>
    private static bool IsFolder(string path) =>
        new DirectoryInfo(path).Attributes is var kind && (int)kind != -1 && kind.HasFlag(FileAttributes.Directory) && !kind.HasFlag(FileAttributes.ReparsePoint);

    private static Exception NoFile(string path)
    {
        if (SpecialFile.Is(path))
        {
            return LeftOut(path, "a FIFO, a socket or a device");
        }

        if (SymbolicLink.Read(path) is not null)
        {
            return LeftOut(path, "a link to nothing");
        }

        // The framework shows such a name with replacement characters, and cannot open it.
        return path.Contains('\uFFFD')
            ? LeftOut(path, "a file whose name is not UTF-8,", " Rename it.", TransferError.InvalidName)
            : new FileNotFoundException($"There is no file '{path}'.", path);
    }

    private static TransferException LeftOut(string path, string kind, string advice = "", TransferError error = TransferError.InvalidRequest) =>
        new(error, $"'{path}' is {kind} and was left out.{advice}");

    private static string Real(string path)
    {
        string root = Path.GetPathRoot(path) ?? "";
        string real = root;
        foreach (string part in path[root.Length..].Split(Path.DirectorySeparatorChar, StringSplitOptions.RemoveEmptyEntries))
        {
            real = Path.Combine(real, part);
            var entry = new FileInfo(real);
            if (entry.LinkTarget is not null && entry.ResolveLinkTarget(returnFinalTarget: true) is { } target)
            {
                real = target.FullName;
            }
        }

        return real;
    }

    /// <summary>An entry of a folder: a file, a folder, or a link to a folder.</summary>
    private readonly record struct Entry(string Name, bool IsFolder, bool IsLink)
    {
        public static Entry OfFolder(string name, bool isLink) => new(name, !isLink, isLink);

        public static int Compare(Entry left, Entry right)
        {
            int same = left.Name.AsSpan().CommonPrefixLength(right.Name);
            return left.At(same) - right.At(same);
        }

        private int At(int index) => index < Name.Length ? Name[index] : IsFolder ? '/' : 0;
    }
}

/// <summary>A file of a folder that is moved.</summary>
/// <param name="Name">Its name in the store; <c>default</c> when it has none.</param>
/// <param name="Path">Its path here.</param>
/// <param name="Fault">Why it cannot be moved; null when it can.</param>
/// <param name="IsLink">Whether it is a link to a folder.</param>
internal readonly record struct FolderItem(TransferName Name, string Path, Exception? Fault = null, bool IsLink = false)
{
    /// <summary>The target of a link that is moved as such; null for a file.</summary>
    public string? LinkTarget { get; init; }

    /// <summary>Its bytes.</summary>
    public long Length { get; init; }

    /// <summary>When it was last changed.</summary>
    public FileTime Modified { get; init; }

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
