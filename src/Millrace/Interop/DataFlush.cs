using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// <c>fdatasync(2)</c>: the bytes, and only the metadata needed to find them again, such as the length. The times that
/// fsync adds cost a log a second place on the device. https://man7.org/linux/man-pages/man2/fdatasync.2.html
/// </summary>
internal static partial class DataFlush
{
    public static int Flush(SafeFileHandle file) => Flush(file, all: false);

    /// <summary><c>fsync(2)</c>: the times and permissions, too.</summary>
    /// <remarks>
    /// The framework's <see cref="RandomAccess.FlushToDisk"/> and <c>FileStream.Flush(true)</c> return as if nothing were
    /// wrong when this fails (seen with .NET 10 on a failing device).
    /// </remarks>
    public static int FlushAll(SafeFileHandle file) => Flush(file, all: true);

    private static int Flush(SafeFileHandle file, bool all)
    {
        while ((all ? FSync(file) : FDataSync(file)) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int FDataSync(SafeFileHandle file);
}
