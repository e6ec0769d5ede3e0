using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Tells the page cache what is not needed. https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
/// </summary>
internal static partial class CacheAdvice
{
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <summary>
    /// Drops a file from the cache, as far as it was written to the device and nobody maps it. A wish: file systems
    /// that live in memory do not grant it.
    /// </summary>
    public static void Drop(SafeFileHandle file) => _ = Advise(file, 0, 0, DontNeed);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
