using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// With <see cref="BeneathOpen"/>: the kernel refuses everything that is not below the root, even while folders are renamed
/// or replaced by links.
/// </summary>
internal sealed class NativeTree : StoreTree
{
    private readonly SafeFileHandle _root;

    private NativeTree(SafeFileHandle root) => _root = root;

    /// <returns>Null where the kernel is older than 5.6, forbids the call, or there is no /proc.</returns>
    public static NativeTree? TryCreate(string root)
    {
        SafeFileHandle handle = Folder.Open(root);
        if (!handle.IsInvalid)
        {
            using SafeFileHandle probe = BeneathOpen.Folder(handle, ".", out int error);
            if (error == 0)
            {
                using var folder = new NativeFolder(probe);
                if (Directory.Exists(folder.PathOf("")))
                {
                    return new NativeTree(handle);
                }
            }
        }

        handle.Dispose();
        return null;
    }

    public override SafeFileHandle? TryOpenFile(TransferName name)
    {
        SafeFileHandle file = BeneathOpen.File(_root, name.Value, out int error);
        if (error == 0 && VersionFacts.TryGet(file, out FileFacts facts) == 0 && facts.IsRegular)
        {
            return file;
        }

        file.Dispose();
        ThrowIfRefused(error, "open", name);
        return null;
    }

    public override StoreFolder? TryOpenFolder(TransferName folder)
    {
        SafeFileHandle handle = BeneathOpen.Folder(_root, folder.IsRoot ? "." : folder.Value, out int error);
        if (error == 0)
        {
            return new NativeFolder(handle);
        }

        ThrowIfRefused(error, "open the folder", folder);
        return null;
    }

    public override StoreFolder? TryOpenFolderOf(TransferName name, bool create, bool follow, out string fileName)
    {
        string path = name.Value;
        for (int links = 0; ; links++)
        {
            int slash = path.LastIndexOf('/');
            fileName = path[(slash + 1)..];
            string folderPath = slash < 0 ? "." : path[..slash];
            if (fileName is "" or "." or "..")
            {
                // The target of a link; a name has no such part.
                throw Errors.IsFolder(name);
            }

            StoreFolder? folder = Open(folderPath, create, name);
            if (!follow || folder is null || !folder.TryLook(fileName, out _, out _, out bool isLink) || !isLink)
            {
                return folder;
            }

            string? target = new FileInfo(folder.PathOf(fileName)).LinkTarget;
            folder.Dispose();
            if (target is null || target.StartsWith('/') || links == MaxLinks)
            {
                throw Errors.LeadsOut(name);
            }

            path = $"{folderPath}/{target}";
        }
    }

    public override FileFacts Look(SafeFileHandle file)
    {
        int error = VersionFacts.TryGet(file, out FileFacts facts);
        return error == 0 ? facts : throw SystemError.Exception(error);
    }

    public override void Dispose() => _root.Dispose();

    private NativeFolder? Open(string path, bool create, TransferName name)
    {
        SafeFileHandle handle = BeneathOpen.Folder(_root, path, out int error);
        if (error == Errno.NoEntry && create)
        {
            int slash = path.LastIndexOf('/');
            using NativeFolder parent = Open(slash < 0 ? "." : path[..slash], create, name)!;
            Create(parent, path[(slash + 1)..], name);
            handle = BeneathOpen.Folder(_root, path, out error);
        }

        if (error == 0)
        {
            return new NativeFolder(handle);
        }

        if (create && error is Errno.NoEntry or Errno.NotDirectory)
        {
            throw Errors.NoFolderPossible(name);
        }

        ThrowIfRefused(error, "open the folder of", name);
        return null;
    }

    private static void Create(NativeFolder parent, string part, TransferName name)
    {
        try
        {
            Directory.CreateDirectory(parent.PathOf(part));

            // A file is lost if a power failure loses its folder.
            parent.Flush();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            if (!parent.TryLook(part, out _, out _, out _))
            {
                throw Errors.Translate(exception, "create the folder of", name);
            }
        }
    }

    private static void ThrowIfRefused(int error, string verb, TransferName name)
    {
        switch (error)
        {
            case 0 or Errno.NoEntry or Errno.NotDirectory or Errno.NoSuchAddress:
                return;
            case Errno.CrossDevice or Errno.TooManyLinks:
                throw Errors.LeadsOut(name);
            default:
                throw Errors.Translate(SystemError.Exception(error), verb, name);
        }
    }
}

/// <summary>
/// A folder by its descriptor: paths begin with its name in /proc, so that they stay valid, and below the root, when
/// somebody renames the folder or replaces it by a link.
/// </summary>
internal sealed class NativeFolder(SafeFileHandle handle) : StoreFolder
{
    public override string PathOf(string name) => string.Create(
        CultureInfo.InvariantCulture, $"/proc/self/fd/{(int)handle.DangerousGetHandle()}/{name}");

    public override bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink) =>
        VersionFacts.TryGet(PathOf(name), out facts, out isFolder, out isLink) == 0;

    public override void Flush()
    {
        int error = Folder.Flush(handle);
        if (error != 0)
        {
            throw SystemError.Exception(error);
        }
    }

    public override void Dispose() => handle.Dispose();
}
