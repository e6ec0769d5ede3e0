using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>Attributes of a name, links not followed, or of an open file; and setting them.</summary>
internal readonly partial record struct NamedFile(uint Links, uint User, uint Group, int Format, UnixFileMode Permissions)
{
    public bool IsRegular => Format == StatX.Regular;

    public bool IsFolder => Format == StatX.Directory;

    public bool IsLink => Format == StatX.Link;

    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static int TryGet(string path, out NamedFile file)
    {
        int error = StatX.TryGet(path, follow: false, out StatX raw);
        file = From(raw);
        return error;
    }

    public static int TryGet(SafeFileHandle open, out NamedFile file)
    {
        int error = StatX.TryGet(open, out StatX raw);
        file = From(raw);
        return error;
    }

    /// <summary>Whether this process is the file's owner, to which the kernel grants more than to others.</summary>
    public static bool IsOwned(SafeFileHandle file) => TryGet(file, out NamedFile named) == 0 && named.User == GetEUid();

    /// <param name="file">The file.</param>
    /// <param name="user">Its new owner; null to leave it.</param>
    /// <param name="group">Its new group.</param>
    public static bool TrySetOwner(SafeFileHandle file, uint? user, uint group) => FChOwn(file, user ?? uint.MaxValue, group) == 0;

    public static int SetMode(SafeFileHandle file, UnixFileMode mode) =>
        FChMod(file, (int)mode) == 0 ? 0 : Marshal.GetLastPInvokeError();

    private static NamedFile From(in StatX raw) => new(raw.Links, raw.User, raw.Group, raw.Format, (UnixFileMode)(raw.Mode & 0xFFF));

    // https://man7.org/linux/man-pages/man2/chown.2.html, chmod.2.html
    [LibraryImport("libc", EntryPoint = "fchown", SetLastError = true)]
    private static partial int FChOwn(SafeFileHandle file, uint user, uint group);

    // https://man7.org/linux/man-pages/man2/geteuid.2.html
    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint GetEUid();

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    private static partial int FChMod(SafeFileHandle file, int mode);
}
