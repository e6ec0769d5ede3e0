using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>With Linux's own calls, and the folder held open: right also when the folder is renamed meanwhile.</summary>
internal sealed partial class NativeStagedFile : StagedFile
{
    /// <summary>What the umask takes away from for a new file: rw-rw-rw-, as every program's.</summary>
    private const UnixFileMode DefaultMode =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;

    /// <summary>Names tried before giving up: a second one is needed once in 2^64, or when a clean-up ran in between.</summary>
    private const int Tries = 8;

    private readonly SafeFileHandle _folder;
    private readonly SafeFileHandle _stagedFolder;
    private readonly string _stagedName;
    private readonly string _name;
    private readonly bool _mustBeNew;

    private NativeStagedFile(
        string path,
        string target,
        bool mustBeNew,
        SafeFileHandle folder,
        SafeFileHandle stagedFolder,
        string stagedName,
        SafeFileHandle handle,
        bool keeps)
        : base(path, target, keeps)
    {
        _mustBeNew = mustBeNew;
        _folder = folder;
        _stagedFolder = stagedFolder;
        _stagedName = stagedName;
        _name = System.IO.Path.GetFileName(target);
        Handle = handle;
    }

    public override bool Native => true;

    public static NativeStagedFile Create(string path, bool mustBeNew, UnixFileMode? mode)
    {
        WriteTarget target = WriteTarget.Find(path, mustBeNew);
        SafeFileHandle folder = OpenFolder(target.FullPath, path);
        try
        {
            // Never more than is wanted in the end, also not for a moment: what is written may be secret.
            SafeFileHandle handle = Open(folder, path, (int)Permissions(target, mode), out string stagedName);
            TakeAfter(handle, target, mode);
            return new NativeStagedFile(
                path, target.FullPath, mustBeNew, folder, folder, stagedName, handle, keeps: false);
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
        int error = PositionalWrite.Write(Handle, first, second, offset, out long written);
        if (error != 0)
        {
            throw WriteErrors.Describe("write", Path, offset + written, error);
        }
    }

    public override void SetLength(long bytes)
    {
        int error = FileSpace.Truncate(Handle, bytes);
        if (error != 0)
        {
            throw WriteErrors.Describe("set the length of", Path, bytes, error);
        }
    }

    public override void Flush()
    {
        int error = DataFlush.FlushAll(Handle);
        if (error != 0)
        {
            throw WriteErrors.Describe("flush", Path, 0, error);
        }
    }

    public override void BeginFlush() => _ = FileSpace.BeginWriting(Handle, 0, bytes: 0);

    private protected override void Rename()
    {
        if (Keeps)
        {
            // Others may read it from now on.
            _ = AdvisoryLock.TryShare(Handle);
        }

        int error = _mustBeNew
            ? Folder.RenameToFree(_stagedFolder, _stagedName, _folder, _name)
            : Folder.Rename(_stagedFolder, _stagedName, _folder, _name);
        if (error != 0)
        {
            throw WriteErrors.Describe("publish", Path, 0, error);
        }
    }

    private protected override void FlushFolder()
    {
        int error = Folder.Flush(_folder);
        if (error != 0)
        {
            throw WriteErrors.Describe("flush the folder of", Path, 0, error);
        }
    }

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

    private static SafeFileHandle Open(SafeFileHandle folder, string path, int mode, out string stagedName)
    {
        for (int i = 0; ; i++)
        {
            stagedName = StagedName.Next();
            SafeFileHandle handle = Folder.Create(folder, stagedName, mode, out int error);

            // A clean-up that came between the creation and the lock has it, or has removed it.
            if (error == 0 && NamedFile.TryGet(handle, out NamedFile created) == 0 && created.Links > 0)
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

    private static UnixFileMode Permissions(in WriteTarget target, UnixFileMode? mode) =>
        mode ?? target.Existing?.Permissions ?? DefaultMode;

    /// <summary>Gives the file the permissions that were asked for, or those and the owner of what it is going to replace.</summary>
    private static void TakeAfter(SafeFileHandle handle, in WriteTarget target, UnixFileMode? mode)
    {
        if ((mode ?? target.Existing?.Permissions) is { } exact)
        {
            // The umask took away from it.
            _ = NamedFile.SetMode(handle, exact);
        }

        if (target.Existing is { } existing && mode is null)
        {
            GiveAsBefore(handle, existing);
        }
    }

    private static void GiveAsBefore(SafeFileHandle handle, in NamedFile existing)
    {
        if (NamedFile.TryGet(handle, out NamedFile created) == 0
            && (created.User != existing.User || created.Group != existing.Group))
        {
            NamedFile.TryGive(handle, existing.User, existing.Group);

            // Changing the owner takes set-user-ID bits away.
            _ = NamedFile.SetMode(handle, existing.Permissions);
        }
    }
}
