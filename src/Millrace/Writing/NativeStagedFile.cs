using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>With Linux's own calls, and the folder held open: right also when the folder is renamed meanwhile.</summary>
internal sealed class NativeStagedFile : StagedFile
{
    /// <summary>Permissions of a new file before the umask: rw-rw-rw-, as in every program.</summary>
    private const UnixFileMode DefaultMode =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;

    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private const UnixFileMode GroupOnly = UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute;

    /// <summary>Names tried before giving up: a second one is needed once in 2^64, or when a clean-up ran in between.</summary>
    private const int Tries = 8;

    private readonly SafeFileHandle _folder;
    private readonly SafeFileHandle _stagedFolder;
    private readonly string _stagedName;
    private readonly string _name;
    private readonly bool _createNew;

    private NativeStagedFile(
        string path,
        string target,
        bool createNew,
        SafeFileHandle folder,
        SafeFileHandle stagedFolder,
        string stagedName,
        SafeFileHandle handle,
        bool keeps)
        : base(path, target, keeps)
    {
        _createNew = createNew;
        _folder = folder;
        _stagedFolder = stagedFolder;
        _stagedName = stagedName;
        _name = System.IO.Path.GetFileName(target);
        Handle = handle;
    }

    public override bool Native => true;

    public static NativeStagedFile Create(string path, bool createNew, UnixFileMode? mode)
    {
        WriteTarget target = WriteTarget.Find(path, createNew);
        SafeFileHandle folder = OpenFolder(target.FullPath, path);
        try
        {
            // Never wider than the final mode, not even for a moment: the bytes may be secret.
            SafeFileHandle handle = Open(folder, path, Permissions(target, mode), out string stagedName, out NamedFile created);
            ApplyPermissions(handle, created, target, mode);
            return new NativeStagedFile(
                path, target.FullPath, createNew, folder, folder, stagedName, handle, keeps: false);
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    public override void Reserve(long bytes)
    {
        int error = bytes == 0 ? 0 : FileSpace.Reserve(Handle, 0, bytes);
        if (error is Errno.NoSpace or Errno.QuotaExceeded or Errno.FileTooLarge)
        {
            throw WriteErrors.Describe($"reserve {bytes} bytes for", Path, 0, error);
        }
    }

    private protected override void WriteOnce(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset)
    {
        int error = PositionalWrite.Write(
            Handle, first, second, offset, out long written, Pages == CachedPages.Released);
        ThrowIfFailed("write", error, offset + written);
    }

    public override void SetLength(long bytes) => ThrowIfFailed("set the length of", FileSpace.Truncate(Handle, bytes), bytes);

    public override void Flush() => ThrowIfFailed("flush", DataFlush.FlushAll(Handle));

    public override void BeginFlush() => _ = FileSpace.BeginWriting(Handle, 0, bytes: 0);

    private protected override void Rename()
    {
        if (Keeps)
        {
            // Now others may read it.
            _ = AdvisoryLock.TryShare(Handle);
        }

        ThrowIfFailed("publish", _createNew
            ? Folder.RenameToFree(_stagedFolder, _stagedName, _folder, _name)
            : Folder.Rename(_stagedFolder, _stagedName, _folder, _name));
    }

    public override (uint Major, uint Minor, ulong Inode)? FolderIdentity => StatX.TryGet(_folder, out StatX status) == 0
        ? (status.DeviceMajor, status.DeviceMinor, status.Inode)
        : null;

    public override void FlushFolder() => ThrowIfFailed("flush the folder of", FolderFlush.Run(_folder));

    private protected override void Close(bool remove)
    {
        if (remove)
        {
            _ = Folder.Remove(_stagedFolder, _stagedName);
        }

        AdvisoryLock.Release(Handle);
        Handle.Dispose();
        _stagedFolder.Dispose();
        _folder.Dispose();
    }

    private void ThrowIfFailed(string verb, int error, long offset = 0)
    {
        if (error != 0)
        {
            throw WriteErrors.Describe(verb, Path, offset, error);
        }
    }

    private static SafeFileHandle Open(
        SafeFileHandle folder, string path, UnixFileMode mode, out string stagedName, out NamedFile created)
    {
        created = default;
        for (int i = 0; ; i++)
        {
            stagedName = StagedName.Next();
            SafeFileHandle handle = Folder.Create(folder, stagedName, (int)mode, out int error);

            // A clean-up that came between the creation and the lock has it, or has removed it.
            if (error == 0 && NamedFile.TryGet(handle, out created) == 0 && created.Links > 0)
            {
                return handle;
            }

            handle.Dispose();
            if (i == Tries || error is not (0 or Errno.Again or Errno.Exists))
            {
                throw WriteErrors.Describe("create", path, 0, error == 0 ? Errno.NoEntry : error);
            }
        }
    }

    /// <summary>The owner's permissions of the replaced file: those of others depend on its group and its access list.</summary>
    private static UnixFileMode Permissions(in WriteTarget target, UnixFileMode? mode) =>
        mode ?? (target.Existing?.Permissions & OwnerOnly) ?? DefaultMode;

    /// <summary>
    /// Gives the file the requested permissions, or the permissions, access list and owner of the file it will replace.
    /// </summary>
    private static void ApplyPermissions(SafeFileHandle handle, in NamedFile created, in WriteTarget target, UnixFileMode? mode)
    {
        if (mode is { } exact)
        {
            if (created.Permissions != exact)
            {
                // The umask took away from it.
                _ = NamedFile.SetMode(handle, exact);
            }
        }
        else if (target.Existing is { } existing)
        {
            CopyPermissions(handle, created, existing, AccessList.TryGet(target.FullPath));
        }
    }

    private static void CopyPermissions(SafeFileHandle handle, in NamedFile created, in NamedFile like, byte[]? list)
    {
        UnixFileMode mode = like.Permissions;
        if ((created.User != like.User || created.Group != like.Group)
            && !NamedFile.TrySetOwner(handle, like.User, like.Group))
        {
            // It does not run as its owner, who is another one.
            mode &= ~(UnixFileMode.SetUser | UnixFileMode.SetGroup);
            if (created.Group != like.Group && !NamedFile.TrySetOwner(handle, user: null, like.Group))
            {
                // The permissions of a group are not for another one, which may do what everybody may.
                mode = (mode & ~GroupOnly) | (UnixFileMode)(((int)mode & 7) << 3);
                list = null;
            }
        }

        if (list is null || !AccessList.TrySet(handle, list))
        {
            // The folder may have given it one.
            AccessList.Remove(handle);
            mode = list is null ? mode : AccessList.Without(mode, list);
        }

        // At last: a change of the owner takes set-user-ID bits away.
        _ = NamedFile.SetMode(handle, mode);
    }

    /// <summary>
    /// Gives a file of another folder the group, the access list and the permissions that a new file in this one gets: a file is
    /// created to see which these are.
    /// </summary>
    private static void Inherit(
        SafeFileHandle handle, in NamedFile opened, SafeFileHandle folder, string path, UnixFileMode? mode)
    {
        using SafeFileHandle example = Open(folder, path, mode ?? DefaultMode, out string name, out NamedFile like);
        try
        {
            CopyPermissions(handle, opened, like with { Permissions = mode ?? like.Permissions }, AccessList.TryGet(example));
        }
        finally
        {
            _ = Folder.Remove(folder, name);
            AdvisoryLock.Release(example);
        }
    }

    public static NativeStagedFile Continue(string part, string path, bool createNew, UnixFileMode? mode)
    {
        WriteTarget target = WriteTarget.Find(path, createNew);
        string fullPart = System.IO.Path.GetFullPath(part);
        string partName = System.IO.Path.GetFileName(fullPart);
        SafeFileHandle folder = OpenFolder(target.FullPath, path);
        SafeFileHandle? partFolder = null;
        SafeFileHandle? handle = null;
        try
        {
            partFolder = OpenFolder(fullPart, part);
            handle = OpenPart(partFolder, partName, fullPart, part, (int)Permissions(target, mode), out NamedFile opened);
            if ((target.Existing is null || mode is not null)
                && System.IO.Path.GetDirectoryName(fullPart) != System.IO.Path.GetDirectoryName(target.FullPath))
            {
                Inherit(handle, opened, folder, path, mode);
            }
            else
            {
                ApplyPermissions(handle, opened, target, mode);
            }

            return new NativeStagedFile(path, target.FullPath, createNew, folder, partFolder, partName, handle, keeps: true);
        }
        catch
        {
            handle?.Dispose();
            partFolder?.Dispose();
            folder.Dispose();
            throw;
        }
    }

    private static SafeFileHandle OpenFolder(string file, string shown)
    {
        SafeFileHandle folder = Folder.Open(System.IO.Path.GetDirectoryName(file)!);
        return folder.IsInvalid
            ? throw WriteErrors.Describe("create", shown, 0, Marshal.GetLastPInvokeError())
            : folder;
    }

    private static SafeFileHandle OpenPart(
        SafeFileHandle folder, string name, string full, string shown, int mode, out NamedFile opened)
    {
        opened = default;
        for (int i = 0; ; i++)
        {
            SafeFileHandle handle = Folder.OpenAlone(folder, name, mode, out int error);
            if (error == Errno.Again)
            {
                handle.Dispose();
                throw WriteErrors.Describe("continue", shown, 0, FilePipeError.Sharing, inner: null);
            }

            if (error == 0 && (error = NamedFile.TryGet(handle, out opened)) == 0 && !opened.IsRegular)
            {
                handle.Dispose();
                throw WriteErrors.Describe("continue", shown, 0, FilePipeError.Failed, inner: null);
            }

            // The previous holder may have published it between our opening it and its lock: then it is a finished file,
            // and no longer ours to write to.
            if (error == 0 && !FileIdentity.HasBeenReplaced(handle, full, native: true) && opened.Links > 0)
            {
                return handle;
            }

            AdvisoryLock.Release(handle);
            handle.Dispose();
            if (i == Tries || error != 0)
            {
                throw WriteErrors.Describe("continue", shown, 0, error == 0 ? Errno.NoEntry : error);
            }
        }
    }
}
