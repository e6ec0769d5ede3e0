using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Advises the page cache about ranges that are not needed. https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
/// </summary>
internal static partial class CacheAdvice
{
    private const int Random = 1; // POSIX_FADV_RANDOM
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <summary>
    /// Drops a file from the cache, as far as it was written to the device and is not mapped. A wish: file systems
    /// that live in memory do not grant it.
    /// </summary>
    public static void Drop(SafeFileHandle file) => _ = Advise(file, 0, 0, DontNeed);

    /// <summary>Drops a part of a file, as <see cref="Drop(SafeFileHandle)"/>.</summary>
    public static void Drop(SafeFileHandle file, long offset, long bytes) => _ = Advise(file, offset, bytes, DontNeed);

    /// <summary>Drops the pages around a range that were not there before they were read: see PageCache.FindMissing of Millrace.</summary>
    public static void DropMissing(SafeFileHandle file, long offset, ReadOnlySpan<bool> missing)
    {
        long start = offset / Environment.SystemPageSize;
        for (int from = missing.IndexOf(true); from >= 0 && from < missing.Length;)
        {
            int length = missing[from..].IndexOf(false) is >= 0 and var run ? run : missing.Length - from;
            Drop(file, (start + from) * Environment.SystemPageSize, length * (long)Environment.SystemPageSize);
            int next = missing[(from + length)..].IndexOf(true);
            from = next < 0 ? -1 : from + length + next;
        }
    }

    /// <summary>Reads no more than each call asks for: pages that are read ahead could not be distinguished from those of others.</summary>
    public static void ReadNothingAhead(SafeFileHandle file) => _ = Advise(file, 0, 0, Random);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
