using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// With the framework's own API: every part of a name is checked before it is used. A user who can change folders on the
/// server can race with that; <see cref="NativeTree"/> has no such gap.
/// </summary>
/// <param name="root">Without links in it.</param>
/// <param name="native">Whether Linux may at least say which version a file is.</param>
/// <param name="prefix">The folder or file below which no link leads out; the root for none.</param>
internal sealed class PortableTree(string root, bool native, TransferName prefix = default) : StoreTree
{
    /// <summary>The framework does not report the time of the last change; the time of creation replaces it.</summary>
    public static FileFacts FactsOf(FileSystemInfo entry) => Facts(
        entry is FileInfo { Length: var length } ? length : 0,
        SpecialFile.Date(entry, static entry => entry.LastWriteTimeUtc),
        SpecialFile.Date(entry, static entry => entry.CreationTimeUtc),
        entry is FileInfo file && IsRegular(file),
        !OperatingSystem.IsWindows() && entry is FileInfo ? entry.UnixFileMode : default);

    public override TransferName Prefix => prefix;

    public override StoreTree Within(TransferName prefix) => new PortableTree(root, native, prefix) { FolderMode = FolderMode };

    public override SafeFileHandle? TryOpenFile(TransferName name, out FileFacts facts)
    {
        facts = default;
        string path = Resolve(name);
        var file = new FileInfo(path);
        if (!file.Exists || !IsRegular(file))
        {
            return null;
        }

        try
        {
            SafeFileHandle opened = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            facts = Look(opened);
            return opened;
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "open", name);
        }
    }

    public override StoreFolder? TryOpenFolder(TransferName folder)
    {
        string path = Resolve(folder);
        return Directory.Exists(path) ? new PortableFolder(path, native) : null;
    }

    public override StoreFolder? TryOpenFolderOf(TransferName name, bool create, bool follow, out string fileName)
    {
        string path = follow ? Resolve(name) : Path.Combine(Resolve(name.Folder), name.FileName);
        if (path.Length == root.Length)
        {
            throw Errors.IsFolder(name);
        }

        fileName = Path.GetFileName(path);
        string folder = Path.GetDirectoryName(path)!;
        if (!Directory.Exists(folder))
        {
            if (!create)
            {
                return null;
            }

            try
            {
                CreateAll(folder);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                throw SystemError.Kind(exception, FilePipeError.Failed) is FilePipeError.NameTaken or FilePipeError.NotFound
                    ? Errors.NoFolderPossible(name)
                    : Errors.Translate(exception, "create the folder of", name);
            }
        }

        return new PortableFolder(folder, native);
    }

    protected override StoreFolder? TryOpenPlainFolder(TransferName folder, TransferName name)
    {
        string path = root;
        foreach (string part in folder.IsRoot ? [] : folder.Value.Split('/'))
        {
            path = Path.Combine(path, part);
            if (new FileInfo(path).LinkTarget is not null)
            {
                throw Errors.LeadsOut(name);
            }
        }

        return Directory.Exists(path) ? new PortableFolder(path, native) : null;
    }

    /// <summary>Creates a folder and those above it that are missing.</summary>
    private void CreateAll(string folder)
    {
        string above = Path.GetDirectoryName(folder)!;
        if (!Directory.Exists(above))
        {
            CreateAll(above);
        }

        CreateFolder(folder);
    }

    public override void Dispose()
    {
        // Paths hold nothing.
    }

    public override FileFacts Look(SafeFileHandle file)
    {
        if (native && VersionFacts.TryGet(file, out FileFacts facts) == 0)
        {
            return facts;
        }

        return Facts(
            RandomAccess.GetLength(file),
            SpecialFile.Date(file, File.GetLastWriteTimeUtc),
            SpecialFile.Date(file, File.GetCreationTimeUtc),
            isRegular: true,
            OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(file));
    }

    /// <summary>On Unix a device, a FIFO and a socket are <see cref="FileAttributes.Normal"/> too, but have no length.</summary>
    private static bool IsRegular(FileInfo file) =>
        !file.Attributes.HasFlag(FileAttributes.Directory)
        && !file.Attributes.HasFlag(FileAttributes.Device)
        && (file.Length > 0 || !SpecialFile.Is(file.FullName));

    private static FileFacts Facts(long length, DateTime modified, DateTime created, bool isRegular, UnixFileMode mode) => new(
        0, 0, length, Nanoseconds(modified), Nanoseconds(created), isRegular, new DateTimeOffset(modified).ToUnixTimeSeconds())
    {
        IsExecutable = isRegular && mode.HasFlag(UnixFileMode.UserExecute),
    };

    private static long Nanoseconds(DateTime time) => (time - DateTime.UnixEpoch).Ticks * 100;

    /// <summary>Resolves all links, each of which has to stay below the root, or below the folder of the prefix.</summary>
    private string Resolve(TransferName name) => prefix.IsRoot || name == prefix || !name.IsIn(prefix)
        ? Resolve(root, name.Value, name)
        : Resolve(Resolve(root, prefix.Value, name), name.Value[(prefix.Value.Length + 1)..], name);

    private static string Resolve(string start, string relative, TransferName name)
    {
        string path = start;
        int links = 0;
        var rest = new Stack<string>(relative.Split('/').Reverse());
        while (rest.TryPop(out string? part))
        {
            if (part is "" or ".")
            {
                continue;
            }

            if (part == "..")
            {
                path = path.Length > start.Length ? Path.GetDirectoryName(path)! : throw Errors.LeadsOut(name);
                continue;
            }

            // Windows: also expands a short name such as MILLRA~1.
            string next = Path.GetFullPath(Path.Combine(path, part));
            if (Path.GetFileName(next.AsSpan()).Equals(NameRules.HiddenFolder, StringComparison.OrdinalIgnoreCase))
            {
                throw Errors.LeadsOut(name);
            }

            string? target = new FileInfo(next).LinkTarget;
            if (target is null)
            {
                path = next;
                continue;
            }

            if (++links > MaxLinks || Path.IsPathRooted(target))
            {
                throw Errors.LeadsOut(name);
            }

            foreach (string step in target.Replace(Path.DirectorySeparatorChar, '/').Split('/').Reverse())
            {
                rest.Push(step);
            }
        }

        return path;
    }
}

/// <summary>A folder by its path.</summary>
internal sealed class PortableFolder(string path, bool native) : StoreFolder
{
    public override string PathOf(string name) => Path.Combine(path, name);

    public override bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        if (native)
        {
            return VersionFacts.TryGet(PathOf(name), out facts, out isFolder, out isLink) == 0;
        }

        var file = new FileInfo(PathOf(name));
        isLink = file.LinkTarget is not null;
        isFolder = !isLink && Directory.Exists(file.FullName);
        facts = file.Exists ? PortableTree.FactsOf(file)
            : isFolder ? PortableTree.FactsOf(new DirectoryInfo(file.FullName))
            : default;
        return isLink || isFolder || file.Exists;
    }

    protected override bool IsMissing(string name)
    {
        try
        {
            _ = File.GetAttributes(PathOf(name));
            return false;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return exception is FileNotFoundException or DirectoryNotFoundException;
        }
    }

    /// <remarks>Not File.Move, which copies to another file system.</remarks>
    public override void Move(string name, StoreFolder target, string newName, bool replace)
    {
        string from = PathOf(name);
        string to = target.PathOf(newName);
        if (!replace)
        {
            Directory.Move(from, to);
        }
        else if (!WindowsRename.TryReplace(from, to))
        {
            File.Replace(from, to, destinationBackupFileName: null);
        }
    }

    public override bool Remove(string name)
    {
        File.Delete(PathOf(name));
        return true;
    }

    public override void Flush()
    {
        // The framework opens no folders.
    }

    public override void Dispose()
    {
        // Nothing to close.
    }
}
