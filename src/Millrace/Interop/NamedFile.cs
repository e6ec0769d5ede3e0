using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Attributes of a name or an open file: <c>statx(2)</c>, links not followed, in one call and without allocating.
/// https://man7.org/linux/man-pages/man2/statx.2.html
/// </summary>
internal readonly partial record struct NamedFile(uint Links, uint User, uint Group, int Mode)
{
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int NoFollow = 0x100; // AT_SYMLINK_NOFOLLOW
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint BasicStats = 0x7ff; // STATX_BASIC_STATS
    private const int FormatMask = 0xF000; // S_IFMT

    public UnixFileMode Permissions => (UnixFileMode)(Mode & 0xFFF);

    public bool IsRegular => (Mode & FormatMask) == 0x8000;

    public bool IsFolder => (Mode & FormatMask) == 0x4000;

    public bool IsLink => (Mode & FormatMask) == 0xA000;

    /// <returns>0, or the error number: ENOENT where nothing has the name.</returns>
    public static unsafe int TryGet(string path, out NamedFile file)
    {
        StatX raw;
        int done = ByPath(CurrentFolder, path, NoFollow, BasicStats, &raw);
        file = From(raw);
        return done == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    public static unsafe int TryGet(SafeFileHandle open, out NamedFile file)
    {
        StatX raw;
        int done = ByHandle(open, "", EmptyPath, BasicStats, &raw);
        file = From(raw);
        return done == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    public static void TrySetOwner(SafeFileHandle file, uint user, uint group) => _ = FChOwn(file, user, group);

    public static int SetMode(SafeFileHandle file, UnixFileMode mode) =>
        FChMod(file, (int)mode) == 0 ? 0 : Marshal.GetLastPInvokeError();

    private static NamedFile From(in StatX raw) => new(raw.Links, raw.User, raw.Group, raw.Mode);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int ByPath(int folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int ByHandle(SafeFileHandle folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "fchown", SetLastError = true)]
    private static partial int FChOwn(SafeFileHandle file, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    private static partial int FChMod(SafeFileHandle file, int mode);

    /// <summary>struct statx of linux/stat.h; 256 bytes, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatX
    {
        [FieldOffset(16)]
        public uint Links;

        [FieldOffset(20)]
        public uint User;

        [FieldOffset(24)]
        public uint Group;

        [FieldOffset(28)]
        public ushort Mode;
    }
}
