using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// With <see cref="BeneathOpen"/>: the kernel refuses everything that is not below the root, or below the folder of a
/// prefix, even while folders are renamed or replaced by links. A path without a link leads to the folder of that name; after a
/// link, the device and the inode of the opened folder and of those above it decide.
/// </summary>
internal sealed class NativeTree : StoreTree
{
    private readonly SafeFileHandle _root;
    private readonly TransferName _prefix;

    private NativeTree(SafeFileHandle root, TransferName prefix)
    {
        _root = root;
        _prefix = prefix;
    }

    /// <returns>Null where the kernel is older than 5.6, forbids the call, or there is no /proc.</returns>
    public static NativeTree? TryCreate(string root, UnixFileMode? folderMode)
    {
        if (!NativeFeatures.HasCall("openat2"))
        {
            return null;
        }

        SafeFileHandle handle = Folder.Open(root);
        if (!handle.IsInvalid)
        {
            using SafeFileHandle probe = BeneathOpen.Folder(handle, ".", follow: false, out int error);
            if (error == 0)
            {
                using var folder = new NativeFolder(probe);
                if (Directory.Exists(folder.PathOf("")))
                {
                    return new NativeTree(handle, default) { FolderMode = folderMode };
                }
            }
        }

        handle.Dispose();
        return null;
    }

    public override TransferName Prefix => _prefix;

    public override StoreTree Within(TransferName prefix) => new NativeTree(_root, prefix) { FolderMode = FolderMode };

    public override SafeFileHandle? TryOpenFile(TransferName name, out FileFacts facts)
    {
        facts = default;
        using Start start = Begin(name, create: false);
        if (start.Folder is null)
        {
            return null;
        }

        SafeFileHandle file = BeneathOpen.File(start.Folder, start.Path, out int error);
        if (error == Errno.TooManyLinks)
        {
            file.Dispose();
            using NativeFolder? folder = Find(start.Folder, start.Path, name, create: false, follow: true, out string fileName);
            if (folder is null || IsFolderName(fileName))
            {
                return null;
            }

            file = BeneathOpen.File(folder.Handle, fileName, out error);
        }

        if (error == 0 && VersionFacts.TryGet(file, out facts) == 0 && facts.IsRegular)
        {
            return file;
        }

        file.Dispose();
        ThrowIfRefused(error, "open", name);
        return null;
    }

    /// <remarks>From the root on: a path without a link is in every prefix that it begins with.</remarks>
    public override bool Has(TransferName name, in FileFacts facts)
    {
        FileFacts now;
        if (!name.Value.Contains('/', StringComparison.Ordinal))
        {
            return VersionFacts.TryGetNow(_root, name.Value, out now) == 0 && now == facts;
        }

        using SafeFileHandle file = BeneathOpen.Path(_root, name.Value, out int error);
        return error == 0 && VersionFacts.TryGetNow(file, "", out now) == 0 && now == facts;
    }

    public override StoreFolder? TryOpenFolder(TransferName folder)
    {
        using Start start = Begin(folder, create: false);

        // With the dot, the kernel also asks for the right to find files in it: without that a folder would seem to be empty.
        return start.Folder is null ? null : Open(start.Folder, start.Path + "/.", "open the folder", folder);
    }

    public override StoreFolder? TryOpenFolderOf(TransferName name, bool create, bool follow, out string fileName)
    {
        fileName = name.FileName;
        using Start start = Begin(name, create);
        NativeFolder? folder = start.Folder is null ? null : Find(start.Folder, start.Path, name, create, follow, out fileName);
        if (folder is not null && IsFolderName(fileName))
        {
            folder.Dispose();
            throw Errors.IsFolder(name);
        }

        return folder;
    }

    protected override StoreFolder? TryOpenPlainFolder(TransferName folder, TransferName name)
    {
        SafeFileHandle handle = BeneathOpen.Folder(_root, folder.IsRoot ? "." : folder.Value, follow: false, out int error);
        if (error == 0)
        {
            return new NativeFolder(handle);
        }

        handle.Dispose();
        ThrowIfRefused(error, "open the folder of", name);
        return null;
    }

    public override FileFacts Look(SafeFileHandle file)
    {
        int error = VersionFacts.TryGet(file, out FileFacts facts);
        return error == 0 ? facts : throw SystemError.Exception(error);
    }

    public override void Dispose() => _root.Dispose();

    /// <summary>Where a name is looked up: in the root, or in the folder of the prefix if it is below that.</summary>
    private Start Begin(TransferName name, bool create)
    {
        if (_prefix.IsRoot || name == _prefix || !name.IsIn(_prefix))
        {
            return new Start(_root, name.IsRoot ? "." : name.Value, owned: null);
        }

        NativeFolder? folder = create
            ? Create(_root, _prefix.Value, name)
            : Open(_root, _prefix.Value, "open the folder of", name);
        return new Start(folder?.Handle, name.Value[(_prefix.Value.Length + 1)..], folder);
    }

    /// <summary>Opens the folder of a name's file, through links if <paramref name="follow"/> is set.</summary>
    private NativeFolder? Find(
        SafeFileHandle start, string path, TransferName name, bool create, bool follow, out string fileName)
    {
        for (int links = 0; ; links++)
        {
            int slash = path.LastIndexOf('/');
            fileName = path[(slash + 1)..];
            string folderPath = slash < 0 ? "." : path[..slash];
            NativeFolder? folder = create
                ? Create(start, folderPath, name, links > 0)
                : Open(start, folderPath, "open the folder of", name, links > 0);
            if (!follow || folder is null || IsFolderName(fileName)
                || !folder.TryLook(fileName, out _, out _, out bool isLink) || !isLink)
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

    /// <summary>The target of a link can end like this; a name has no such part.</summary>
    private static bool IsFolderName(string part) => part is "" or "." or "..";

    private NativeFolder? Open(SafeFileHandle start, string path, string verb, TransferName name, bool isLinkTarget = false)
    {
        SafeFileHandle handle = TryOpen(start, path, name, isLinkTarget, out int error);
        if (error == 0)
        {
            return new NativeFolder(handle);
        }

        ThrowIfRefused(error, verb, name);
        return null;
    }

    private NativeFolder Create(SafeFileHandle start, string path, TransferName name, bool isLinkTarget = false)
    {
        SafeFileHandle handle = TryOpen(start, path, name, isLinkTarget, out int error);
        if (error == Errno.NoEntry)
        {
            int slash = path.LastIndexOf('/');
            using NativeFolder parent = Create(start, slash < 0 ? "." : path[..slash], name, isLinkTarget);
            Create(parent, path[(slash + 1)..], name);
            handle = TryOpen(start, path, name, isLinkTarget, out error);
        }

        if (error == 0)
        {
            return new NativeFolder(handle);
        }

        if (error is Errno.NoEntry or Errno.NotDirectory)
        {
            throw Errors.NoFolderPossible(name);
        }

        ThrowIfRefused(error, "open the folder of", name);
        throw Errors.NoFolder(name);
    }

    private void Create(NativeFolder parent, string part, TransferName name)
    {
        try
        {
            CreateFolder(parent.PathOf(part));

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

    private SafeFileHandle TryOpen(SafeFileHandle start, string path, TransferName name, bool isLinkTarget, out int error)
    {
        SafeFileHandle handle = BeneathOpen.Folder(start, path, follow: false, out error);
        if (error == Errno.TooManyLinks)
        {
            isLinkTarget = true;
            handle = BeneathOpen.Folder(start, path, follow: true, out error);
        }

        if (error == 0 && isLinkTarget && IsHidden(handle))
        {
            handle.Dispose();
            throw Errors.LeadsOut(name);
        }

        return handle;
    }

    /// <summary>Whether a folder is a store's own, or below one; or is not below the root any more.</summary>
    private bool IsHidden(SafeFileHandle folder)
    {
        _ = VersionFacts.TryGet(_root, out FileFacts root);
        using var whole = new NativeFolder(_root, owns: false);
        _ = whole.TryLook(NameRules.HiddenFolder, out FileFacts hidden, out _, out _);
        NativeFolder? above = null;
        try
        {
            SafeFileHandle at = folder;
            while (VersionFacts.TryGet(at, out FileFacts facts) == 0 && !IsSame(facts, hidden))
            {
                if (IsSame(facts, root))
                {
                    return false;
                }

                var parent = new NativeFolder(BeneathOpen.Parent(at, out int error));
                above?.Dispose();
                above = parent;

                // A served folder within this one has its own, under the same name.
                if (error != 0
                    || (parent.TryLook(NameRules.HiddenFolder, out FileFacts other, out _, out _) && IsSame(facts, other))
                    || (parent.TryLook(".", out other, out _, out _) && IsSame(facts, other)))
                {
                    return true;
                }

                at = parent.Handle;
            }

            return true;
        }
        finally
        {
            above?.Dispose();
        }
    }

    private static bool IsSame(in FileFacts one, in FileFacts other) => one.Inode == other.Inode && one.Device == other.Device;

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

    /// <summary>A folder, null if there is none, and the path of a name below it.</summary>
    private readonly struct Start(SafeFileHandle? folder, string path, NativeFolder? owned) : IDisposable
    {
        public SafeFileHandle? Folder => folder;

        public string Path => path;

        public void Dispose() => owned?.Dispose();
    }
}

/// <summary>
/// A folder by its descriptor: paths begin with its name in /proc, so that they stay valid, and below the root, when
/// the folder is renamed or replaced by a link.
/// </summary>
internal sealed class NativeFolder(SafeFileHandle handle, bool owns = true) : StoreFolder
{
    public SafeFileHandle Handle => handle;

    public override string PathOf(string name) => string.Create(
        CultureInfo.InvariantCulture, $"/proc/self/fd/{(int)handle.DangerousGetHandle()}/{name}");

    public override bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink) =>
        VersionFacts.TryGet(handle, name, out facts, out isFolder, out isLink) == 0;

    protected override bool IsMissing(string name) => VersionFacts.TryGet(handle, name, out _, out _, out _) == Errno.NoEntry;

    public override void Move(string name, StoreFolder target, string newName, bool replace)
    {
        SafeFileHandle to = ((NativeFolder)target).Handle;
        int error = replace ? Folder.Rename(handle, name, to, newName) : Folder.RenameToFree(handle, name, to, newName);
        if (error == Errno.NotPermitted && !replace && !target.TryLook(newName, out _, out _, out _))
        {
            // A folder where the kernel has no rename to a free name: files get a second name then, folders cannot have one.
            error = Folder.Rename(handle, name, to, newName);
        }

        if (error != 0)
        {
            throw SystemError.Exception(error);
        }
    }

    public override bool TryLink(string name, StoreFolder target, string newName) =>
        Folder.Link(handle, name, ((NativeFolder)target).Handle, newName) == 0;

    public override bool Remove(string name)
    {
        int error = Folder.Remove(handle, name);
        return error switch
        {
            0 => true,
            Errno.NoEntry => false,
            _ => throw SystemError.Exception(error),
        };
    }

    public override void Flush()
    {
        int error = Folder.Flush(handle);
        if (error != 0)
        {
            throw SystemError.Exception(error);
        }
    }

    public override void Dispose()
    {
        if (owns)
        {
            handle.Dispose();
        }
    }
}
