using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Where a file has data and where it has holes: <c>SEEK_DATA</c> and <c>SEEK_HOLE</c>, which move the handle's own
/// position. https://man7.org/linux/man-pages/man2/lseek.2.html
/// </summary>
internal static partial class DataMap
{
    private const int SeekData = 3; // SEEK_DATA
    private const int SeekHole = 4; // SEEK_HOLE

    /// <summary>Finds the data that follows a place. Where the file system does not report holes, everything is data.</summary>
    public static bool TryFind(SafeFileHandle file, long offset, long limit, out long start, out long end)
    {
        start = offset;
        end = limit;
        if (offset >= limit)
        {
            return false;
        }

        long data = Seek(file, offset, SeekData);
        if (data < 0)
        {
            return Marshal.GetLastPInvokeError() != Errno.NoSuchAddress;
        }

        start = data;
        if (data >= limit)
        {
            return false;
        }

        long hole = Seek(file, data, SeekHole);
        end = hole < 0 ? limit : Math.Min(hole, limit);
        return true;
    }

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    private static partial long Seek(SafeFileHandle file, long offset, int whence);
}
