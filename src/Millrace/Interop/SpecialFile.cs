using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Tells FIFOs, sockets and devices from files on every Unix. Opening is no way to find out: a FIFO waits for its writer, and
/// a device may act. The framework asks the system and keeps the answer to itself; this calls its native library, which has the
/// same structure on every system. https://man7.org/linux/man-pages/man2/stat.2.html
/// </summary>
internal static partial class SpecialFile
{
    private const int FormatMask = 0xF000; // S_IFMT
    private const int Regular = 0x8000; // S_IFREG
    private const int Directory = 0x4000; // S_IFDIR

    /// <summary>Whether that is what has the name, or what its link leads to. False where nothing has the name.</summary>
    public static bool Is(string path)
    {
        try
        {
            return !OperatingSystem.IsWindows()
                && Stat(path, out Status status) == 0
                && (status.Mode & FormatMask) is not (Regular or Directory);
        }
        catch (Exception exception) when (exception is EntryPointNotFoundException or DllNotFoundException)
        {
            // A runtime other than .NET 10's: then as before, by opening.
            return false;
        }
    }

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

    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_FStat")]
    private static partial int FStat(SafeFileHandle file, out Status status);

    [LibraryImport("libSystem.Native", EntryPoint = "SystemNative_Stat", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Stat(string path, out Status status);

    /// <summary>FileStatus of dotnet/runtime's pal_io.h, of which only these are read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Status
    {
        [FieldOffset(4)]
        public int Mode;

        [FieldOffset(88)]
        public long Device;

        [FieldOffset(104)]
        public long Inode;
    }
}
