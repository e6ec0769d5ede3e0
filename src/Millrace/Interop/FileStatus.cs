using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// What <c>statx(2)</c> says of an open file, on one call and without allocating; its structure, unlike that of
/// <c>fstat</c>, is the same on every processor. https://man7.org/linux/man-pages/man2/statx.2.html
/// </summary>
internal readonly partial record struct FileStatus(
    long Size, long ModifiedTicks, FileKind Kind, ulong Device, ulong Inode)
{
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint BasicStats = 0x7ff; // STATX_BASIC_STATS
    private const int FormatMask = 0xF000; // S_IFMT

    /// <summary>Asks the system, by the framework's means when <paramref name="native"/> is false.</summary>
    public static FileStatus Get(SafeFileHandle file, bool native)
    {
        if (native && TryStatX(file, out FileStatus status))
        {
            return status;
        }

        return Portable(file);
    }

    private static FileStatus Portable(SafeFileHandle file)
    {
        try
        {
            FileKind kind = File.GetAttributes(file).HasFlag(FileAttributes.Directory)
                ? FileKind.Directory
                : FileKind.Regular;
            return new FileStatus(RandomAccess.GetLength(file), File.GetLastWriteTimeUtc(file).Ticks, kind, 0, 0);
        }
        catch (NotSupportedException)
        {
            // The framework's way of saying that there are no positions.
            return new FileStatus(0, 0, FileKind.Stream, 0, 0);
        }
    }

    public static unsafe bool TryGet(string path, out FileStatus status)
    {
        StatX raw;
        if (StatXCall(CurrentFolder, path, 0, BasicStats, &raw) != 0)
        {
            status = default;
            return false;
        }

        status = From(raw);
        return true;
    }

    private static unsafe bool TryStatX(SafeFileHandle file, out FileStatus status)
    {
        StatX raw;
        if (StatXCall(file, "", EmptyPath, BasicStats, &raw) != 0)
        {
            status = default;
            return false;
        }

        status = From(raw);
        return true;
    }

    private static FileStatus From(in StatX raw)
    {
        FileKind kind = (raw.Mode & FormatMask) switch
        {
            0x8000 => FileKind.Regular,
            0x4000 => FileKind.Directory,
            0x2000 or 0x6000 => FileKind.Device,
            _ => FileKind.Stream,
        };
        return new FileStatus(
            (long)raw.Size,
            (raw.ModifiedSeconds * 1_000_000_000) + raw.ModifiedNanoseconds,
            kind,
            ((ulong)raw.DeviceMajor << 32) | raw.DeviceMinor,
            raw.Inode);
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int StatXCall(
        SafeFileHandle folder, string path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int StatXCall(int folder, string path, int flags, uint mask, StatX* status);

    /// <summary>struct statx of linux/stat.h; 256 bytes, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatX
    {
        [FieldOffset(28)]
        public ushort Mode;

        [FieldOffset(32)]
        public ulong Inode;

        [FieldOffset(40)]
        public ulong Size;

        [FieldOffset(112)]
        public long ModifiedSeconds;

        [FieldOffset(120)]
        public uint ModifiedNanoseconds;

        [FieldOffset(136)]
        public uint DeviceMajor;

        [FieldOffset(140)]
        public uint DeviceMinor;
    }
}

/// <summary>The kinds of files that are read differently.</summary>
internal enum FileKind
{
    /// <summary>Has a size and positions. Files of /proc are of this kind with a size of 0.</summary>
    Regular,
    Directory,
    Device,

    /// <summary>A FIFO, a socket, a terminal: bytes come when they come.</summary>
    Stream,
}
