using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Distinguishes FIFOs, sockets and devices from files on every Unix. Opening cannot find out: a FIFO waits for its writer, and
/// a device may act. The framework asks the system and keeps the answer to itself; this calls its native library, which has the
/// same structure on every system. https://man7.org/linux/man-pages/man2/stat.2.html
/// </summary>
internal static partial class SpecialFile
{
    private const int FormatMask = 0xF000; // S_IFMT
    private const int Regular = 0x8000; // S_IFREG
    private const int Directory = 0x4000; // S_IFDIR
    private const int Socket = 0xC000; // S_IFSOCK

    /// <summary>Whether the name, or the target of its link, is one. False where nothing has the name.</summary>
    public static bool Is(string path) => FormatOf(path) is not (0 or Regular or Directory);

    /// <summary>Whether the name, or the target of its link, is a Unix socket. False where nothing has the name.</summary>
    public static bool IsSocket(string path) => FormatOf(path) == Socket;

    /// <summary>Device and inode of an open file.</summary>
    public static bool TryGetIdentity(SafeFileHandle file, out long device, out long inode)
    {
        device = 0;
        inode = 0;
        try
        {
            if (FStat(file, out Status status) != 0)
            {
                return false;
            }

            device = status.Device;
            inode = status.Inode;
            return true;
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Gives a file or folder the times of another one, to the nanosecond and in any year.</summary>
    public static bool TryCopyTimes(string from, string to)
    {
        try
        {
            return !OperatingSystem.IsWindows() && Stat(from, out Status status) == 0 && SetTimes(to, status.Times) == 0;
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            return false;
        }
    }

    /// <summary>
    /// The length of a file, or of the target of its link, and when it was last written, to the nanosecond and in any year: seconds
    /// since 1970, rounded down, and the rest.
    /// </summary>
    /// <returns>False if it is not a file, and where the system does not report this.</returns>
    public static bool TryGetFacts(string path, out long length, out long seconds, out int nanoseconds)
    {
        length = 0;
        seconds = 0;
        nanoseconds = 0;
        try
        {
            if (OperatingSystem.IsWindows() || Stat(path, out Status status) != 0 || (status.Mode & FormatMask) != Regular)
            {
                return false;
            }

            length = status.Length;
            seconds = status.Times.Modified;
            nanoseconds = (int)status.Times.ModifiedNanoseconds;
            return true;
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Sets when an open file was last written, and leaves when it was last read.</summary>
    /// <returns>False where the system cannot do it so.</returns>
    public static bool TrySetModified(SafeFileHandle file, long seconds, int nanoseconds)
    {
        try
        {
            if (OperatingSystem.IsWindows() || FStat(file, out Status status) != 0)
            {
                return false;
            }

            AccessedAndModified times = status.Times;
            times.Modified = seconds;
            times.ModifiedNanoseconds = nanoseconds;
            return SetTimes(file, times) == 0;
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            return false;
        }
    }

    /// <summary>
    /// When a file was last written, or another date of it. Some file systems keep dates that <see cref="DateTime"/> cannot have, for
    /// which the framework throws: the nearest one then.
    /// </summary>
    /// <param name="file">The file: its path, its description, or an open handle.</param>
    /// <param name="ask">The framework's question.</param>
    public static DateTime Date<T>(T file, Func<T, DateTime> ask)
        where T : class
    {
        try
        {
            return ask(file);
        }
        catch (ArgumentOutOfRangeException)
        {
            int error = file is SafeFileHandle open
                ? FStat(open, out Status status)
                : Stat(file is FileSystemInfo named ? named.FullName : $"{file}", out status);
            bool isEarly = error == 0
                && Math.Min(status.Times.Accessed, status.Times.Modified) < DateTimeOffset.MinValue.ToUnixTimeSeconds();
            return DateTime.SpecifyKind(isEarly ? DateTime.MinValue : DateTime.MaxValue, DateTimeKind.Utc);
        }
    }

    /// <summary>When a file was last written.</summary>
    public static DateTime Modified(string path) => Date(path, File.GetLastWriteTimeUtc);

    /// <returns>0 where nothing has the name.</returns>
    private static int FormatOf(string path)
    {
        try
        {
            return !OperatingSystem.IsWindows() && Stat(path, out Status status) == 0 ? status.Mode & FormatMask : 0;
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            // A runtime other than .NET 10's: then as before, by opening.
            return 0;
        }
    }

    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_FStat")]
    private static partial int FStat(SafeFileHandle file, out Status status);

    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_Stat", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Stat(string path, out Status status);

    // https://man7.org/linux/man-pages/man2/utimensat.2.html
    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_UTimensat", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SetTimes(string path, in AccessedAndModified times);

    // https://man7.org/linux/man-pages/man3/futimens.3.html
    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_FUTimens")]
    private static partial int SetTimes(SafeFileHandle file, in AccessedAndModified times);

    /// <summary>FileStatus of dotnet/runtime's pal_io.h, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Status
    {
        [FieldOffset(4)]
        public int Mode;

        [FieldOffset(16)]
        public long Length;

        [FieldOffset(24)]
        public AccessedAndModified Times;

        [FieldOffset(88)]
        public long Device;

        [FieldOffset(104)]
        public long Inode;
    }

    /// <summary>Two of its TimeSpec, one after the other.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct AccessedAndModified
    {
        public long Accessed;
        public long AccessedNanoseconds;
        public long Modified;
        public long ModifiedNanoseconds;
    }
}
