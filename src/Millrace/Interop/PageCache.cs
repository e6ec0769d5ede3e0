using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Asks whether a range of a file is in the page cache: <c>cachestat(2)</c>, Linux 6.5, which counts whole folios and
/// takes 1 to 14 µs per 4 MiB, otherwise <c>mincore(2)</c>, which looks at every page and takes 28 to 40 µs.
/// https://docs.kernel.org/admin-guide/mm/index.html, https://man7.org/linux/man-pages/man2/mincore.2.html
/// </summary>
internal static unsafe partial class PageCache
{
    private const nint CacheStatNumber = 451; // the same on every processor
    private const int PagesAtOnce = 512;

    private static volatile bool CacheStatMissing = !NativeFeatures.HasCall("cachestat");

    /// <summary>
    /// Whether every page of a range, which begins with a page and is mapped at <paramref name="address"/>, can be
    /// entered without waiting for a device.
    /// </summary>
    public static bool Holds(SafeFileHandle file, byte* address, long offset, int bytes)
    {
        if (!CountsAll(file, address, offset, bytes))
        {
            return false;
        }

        // Pages that are only just being read are counted too. Read-ahead reads in order: the last one decides. Asked
        // second, because a miss starts another read, in small folios.
        byte last;
        return PositionalRead.ReadCached(file, &last, 1, offset + bytes - 1) == 1;
    }

    /// <summary>
    /// Whether every page is in the cache and clean, so that a fault neither waits nor fails. Only
    /// for a file whose owner this process is: to others <c>mincore</c> reports all pages as present.
    /// </summary>
    public static bool FindsAll(byte* address, nint bytes)
    {
        byte* residence = stackalloc byte[PagesAtOnce];
        for (nint done = 0; done < bytes; done += PagesAtOnce * MemoryMap.PageBytes)
        {
            nint length = Math.Min(PagesAtOnce * MemoryMap.PageBytes, bytes - done);
            if (MInCore(address + done, length, residence) != 0)
            {
                return false;
            }

            for (int i = 0; i < PagesIn(length); i++)
            {
                if ((residence[i] & 1) == 0)
                {
                    return false;
                }
            }
        }

        return true;
    }

    private static bool CountsAll(SafeFileHandle file, byte* address, long offset, int bytes)
    {
        if (!CacheStatMissing)
        {
            var range = new CacheStatRange { Offset = (ulong)offset, Bytes = (ulong)bytes };
            CacheStat counts;
            if (SystemCall(CacheStatNumber, file, &range, &counts, 0) == 0)
            {
                return counts.Cached >= (ulong)PagesIn(bytes);
            }

            CacheStatMissing = true;
        }

        return FindsAll(address, bytes);
    }

    private static long PagesIn(long bytes) => (bytes + MemoryMap.PageBytes - 1) / MemoryMap.PageBytes;

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(
        nint number, SafeFileHandle file, CacheStatRange* range, CacheStat* counts, nint flags);

    [LibraryImport("libc", EntryPoint = "mincore", SetLastError = true)]
    private static partial int MInCore(byte* address, nint bytes, byte* residence);

    [StructLayout(LayoutKind.Sequential)]
    private struct CacheStatRange
    {
        public ulong Offset;
        public ulong Bytes;
    }

    /// <summary>struct cachestat of linux/mman.h, in pages.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct CacheStat
    {
        public ulong Cached;
        public ulong Dirty;
        public ulong Writeback;
        public ulong Evicted;
        public ulong RecentlyEvicted;
    }
}

/// <summary>
/// Advises the page cache about ranges that are not needed. https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
/// </summary>
internal static partial class CacheAdvice
{
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <summary>
    /// Drops a file from the cache, as far as it was written to the device and is not mapped. A wish: file systems
    /// that live in memory do not grant it.
    /// </summary>
    public static void Drop(SafeFileHandle file) => _ = Advise(file, 0, 0, DontNeed);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
