using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>A source's facts about an open file.</summary>
internal readonly record struct FileStatus(long Size, long ModifiedTicks, FileKind Kind, ulong Device, ulong Inode)
{
    /// <summary>Asks the system, by the framework's means when <paramref name="native"/> is false.</summary>
    public static FileStatus Get(SafeFileHandle file, bool native) =>
        native && StatX.TryGet(file, out StatX raw) == 0 ? From(raw) : Portable(file);

    /// <summary>The size alone, which the framework returns without allocating.</summary>
    public static long GetSize(SafeFileHandle file, bool native) =>
        native && StatX.TryGet(file, out StatX raw) == 0 ? (long)raw.Size : RandomAccess.GetLength(file);

    public static bool TryGet(string path, out FileStatus status) => TryGet(path, out status, out _);

    public static bool TryGet(string path, out FileStatus status, out int error)
    {
        error = StatX.TryGet(path, follow: true, out StatX raw);
        status = error == 0 ? From(raw) : default;
        return error == 0;
    }

    private static FileStatus Portable(SafeFileHandle file)
    {
        try
        {
            // Asked first: on Windows a device and a pipe have no length, which is reported, and no attributes, which is an error.
            long length = RandomAccess.GetLength(file);
            FileKind kind = File.GetAttributes(file).HasFlag(FileAttributes.Directory)
                ? FileKind.Directory
                : FileKind.Regular;
            return new FileStatus(length, SpecialFile.Date(file, File.GetLastWriteTimeUtc).Ticks, kind, 0, 0);
        }
        catch (NotSupportedException)
        {
            // The framework's error for a file without positions.
            return new FileStatus(0, 0, FileKind.Stream, 0, 0);
        }
    }

    private static FileStatus From(in StatX raw) => new(
        (long)raw.Size,
        (raw.ModifiedSeconds * 1_000_000_000) + raw.ModifiedNanoseconds,
        raw.Format switch
        {
            StatX.Regular => FileKind.Regular,
            StatX.Directory => FileKind.Directory,
            StatX.CharacterDevice or StatX.BlockDevice => FileKind.Device,
            _ => FileKind.Stream,
        },
        ((ulong)raw.DeviceMajor << 32) | raw.DeviceMinor,
        raw.Inode);
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

internal static class FileIdentity
{
    /// <summary>Whether <paramref name="path"/> exists and is another file than <paramref name="opened"/>.</summary>
    public static bool HasBeenReplaced(SafeFileHandle opened, string path, bool native)
    {
        if (native && FileStatus.TryGet(path, out FileStatus named))
        {
            FileStatus own = FileStatus.Get(opened, native);
            return named.Inode != own.Inode || named.Device != own.Device;
        }

        return HasBeenReplacedByTimes(opened, path);
    }

    /// <summary>
    /// Without inode numbers, by times and length. They move with every write, so the opened file is looked at before and
    /// after. Two files alike in all three can be distinguished as soon as one of them grows.
    /// </summary>
    private static bool HasBeenReplacedByTimes(SafeFileHandle opened, string path)
    {
        try
        {
            Snapshot before = Snapshot.Of(opened);
            var named = new FileInfo(path);
            bool differs = named.Exists
                && Snapshot.Of(named) != before;
            return differs && Snapshot.Of(opened) == before;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Not known now; the next check tries again.
            return false;
        }
    }

    private readonly record struct Snapshot(DateTime Created, DateTime Written, long Length)
    {
        public static Snapshot Of(SafeFileHandle file) =>
            new(SpecialFile.Date(file, File.GetCreationTimeUtc), SpecialFile.Date(file, File.GetLastWriteTimeUtc), RandomAccess.GetLength(file));

        public static Snapshot Of(FileInfo file) => new(
            SpecialFile.Date(file, static file => file.CreationTimeUtc),
            SpecialFile.Date(file, static file => file.LastWriteTimeUtc),
            file.Length);
    }
}

/// <summary>
/// When an open file was last read and written, to the nanosecond, which the framework's times are not.
/// https://man7.org/linux/man-pages/man3/futimens.3.html
/// </summary>
internal readonly unsafe partial record struct FileTimes
{
    private readonly Time _access;
    private readonly Time _modification;

    private FileTimes(in StatX raw)
    {
        _access = new Time { Seconds = raw.AccessSeconds, Nanoseconds = raw.AccessNanoseconds };
        _modification = new Time { Seconds = raw.ModifiedSeconds, Nanoseconds = raw.ModifiedNanoseconds };
    }

    /// <summary>The times, and the permissions, which the same call returns.</summary>
    public static int TryGet(SafeFileHandle file, out FileTimes times, out UnixFileMode permissions)
    {
        int error = StatX.TryGet(file, out StatX raw);
        times = error == 0 ? new FileTimes(raw) : default;
        permissions = (UnixFileMode)(raw.Mode & 0xFFF);
        return error;
    }

    public int SetOn(SafeFileHandle file)
    {
        Time* times = stackalloc Time[2] { _access, _modification };
        return FUTimeNs(file, times) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    [LibraryImport("libc", EntryPoint = "futimens", SetLastError = true)]
    private static partial int FUTimeNs(SafeFileHandle file, Time* times);

    /// <summary>struct timespec of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private record struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}

/// <summary>
/// The process' umask. <c>umask(2)</c> returns it only by changing it, for all threads; the kernel's description of the
/// process, Linux 4.7, does not. https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
/// </summary>
internal static class FileCreationMask
{
    /// <summary>More than the first two lines have, of which it is the second.</summary>
    private const int StatusBytes = 256;

    /// <summary>The default of nearly every system, for systems that do not report it.</summary>
    private const UnixFileMode Usual = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;

    /// <summary>Kept open: a copy of a small file takes one call for it then and not six.</summary>
    private static readonly Lazy<SafeFileHandle?> Status = new(Open);

    private static ReadOnlySpan<byte> Field => "\nUmask:\t"u8;

    /// <summary>Asked every time: the process may change it.</summary>
    public static UnixFileMode Get()
    {
        try
        {
            Span<byte> status = stackalloc byte[StatusBytes];
            status = Status.Value is { } file ? status[..RandomAccess.Read(file, status, 0)] : default;
            int start = status.IndexOf(Field);
            if (start >= 0)
            {
                int mask = 0;
                foreach (byte digit in status[(start + Field.Length)..])
                {
                    if (digit is < (byte)'0' or > (byte)'7')
                    {
                        return (UnixFileMode)mask;
                    }

                    mask = (mask * 8) + (digit - '0');
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // No /proc here.
        }

        return Usual;
    }

    private static SafeFileHandle? Open()
    {
        try
        {
            return OperatingSystem.IsLinux() ? File.OpenHandle("/proc/self/status", share: FileShare.ReadWrite) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
