using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>
/// By the framework's means alone: every part of a name is looked at before it is used. Who can change folders on the server
/// can come in between; the native tree has no such gap.
/// </summary>
internal sealed class PortableTree(string root) : StoreTree
{
    /// <summary>As many as Linux follows.</summary>
    private const int MostLinks = 40;

    public static FileFacts FactsOf(FileInfo file) => new(
        0, 0, file.Length, Nanoseconds(file.LastWriteTimeUtc), Nanoseconds(file.CreationTimeUtc), IsRegular(file.Attributes));

    public override SafeFileHandle? TryOpenFile(TransferName name)
    {
        string path = Resolve(name);
        if (!File.Exists(path))
        {
            return null;
        }

        try
        {
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw StoreErrors.Translate(exception, "open", name);
        }
    }

    public override StoreFolder? TryOpenFolder(TransferName folder)
    {
        string path = Resolve(folder);
        return Directory.Exists(path) ? new PortableFolder(path) : null;
    }

    public override StoreFolder? TryOpenFolderOf(TransferName name, bool create, out string fileName)
    {
        string path = Resolve(name);
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
                Directory.CreateDirectory(folder);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                throw StoreErrors.Translate(exception, "create the folder of", name);
            }
        }

        return new PortableFolder(folder);
    }

    public override FileFacts Look(SafeFileHandle file) => new(
        0,
        0,
        RandomAccess.GetLength(file),
        Nanoseconds(File.GetLastWriteTimeUtc(file)),
        Nanoseconds(File.GetCreationTimeUtc(file)),
        IsRegular(File.GetAttributes(file)));

    private static bool IsRegular(FileAttributes attributes) =>
        !attributes.HasFlag(FileAttributes.Directory) && !attributes.HasFlag(FileAttributes.Device);

    private static long Nanoseconds(DateTime time) => (time - DateTime.UnixEpoch).Ticks * 100;

    /// <summary>The path behind all links, each of which has to stay below the root.</summary>
    private string Resolve(TransferName name)
    {
        string path = root;
        int links = 0;
        var rest = new Stack<string>(name.IsRoot ? [] : name.Value.Split('/').Reverse());
        while (rest.TryPop(out string? part))
        {
            if (part is "" or ".")
            {
                continue;
            }

            if (part == "..")
            {
                path = path.Length > root.Length ? Path.GetDirectoryName(path)! : throw StoreErrors.LeadsOut(name);
                continue;
            }

            string next = Path.Combine(path, part);
            string? target = new FileInfo(next).LinkTarget;
            if (target is null)
            {
                path = next;
                continue;
            }

            if (++links > MostLinks || Path.IsPathRooted(target))
            {
                throw StoreErrors.LeadsOut(name);
            }

            foreach (string step in target.Replace('\\', Path.DirectorySeparatorChar).Split('/').Reverse())
            {
                rest.Push(step);
            }
        }

        return path;
    }
}
