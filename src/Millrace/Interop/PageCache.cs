using System.Collections.Concurrent;
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

    /// <summary>Finds the pages of a range that are not in the cache, the incomplete ones at its ends too.</summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where the range begins, in bytes.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="missing">
    /// Set for each page that is not there; long enough for <see cref="PagesAround"/>. Where the system does not report this, as it does not to
    /// users who may not write to the file, none is.
    /// </param>
    /// <returns>False when every page is there, or might be.</returns>
    public static bool FindMissing(SafeFileHandle file, long offset, int bytes, Span<bool> missing)
    {
        long start = offset / MemoryMap.PageBytes * MemoryMap.PageBytes;
        int pages = PagesAround(offset, bytes);
        missing = missing[..pages];
        missing.Clear();
        if (!CacheStatMissing)
        {
            var range = new CacheStatRange { Offset = (ulong)start, Bytes = (ulong)((long)pages * MemoryMap.PageBytes) };
            CacheStat counts;
            if (SystemCall(CacheStatNumber, file, &range, &counts, 0) == 0 && (counts.Cached == 0 || counts.Cached >= (ulong)pages))
            {
                missing.Fill(counts.Cached == 0);
                return counts.Cached == 0;
            }
        }

        return FindMissingByMap(file, start, missing);
    }

    public static int PagesAround(long offset, int bytes) =>
        (int)(PagesIn(offset + bytes) - (offset / MemoryMap.PageBytes));

    private static bool FindMissingByMap(SafeFileHandle file, long start, Span<bool> missing)
    {
        nint length = missing.Length * (nint)MemoryMap.PageBytes;
        byte* address = NativeFeatures.Mapping ? MemoryMap.MapFile(file, length, start) : null;
        if (address is null)
        {
            return false;
        }

        byte* residence = stackalloc byte[PagesAtOnce];
        bool any = false;
        for (int done = 0; done < missing.Length; done += PagesAtOnce)
        {
            int pages = Math.Min(PagesAtOnce, missing.Length - done);
            if (MInCore(address + (done * (nint)MemoryMap.PageBytes), pages * (nint)MemoryMap.PageBytes, residence) != 0)
            {
                break;
            }

            for (int i = 0; i < pages; i++)
            {
                missing[done + i] = (residence[i] & 1) == 0;
                any |= missing[done + i];
            }
        }

        MemoryMap.Unmap(address, length);
        return any;
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

/// <summary>What becomes of the pages that reading or writing a file brings into the page cache.</summary>
internal enum CachedPages
{
    /// <summary>They stay, as usual.</summary>
    Kept,

    /// <summary>The kernel takes them out as soon as they were copied or written: <c>RWF_DONTCACHE</c>.</summary>
    Released,

    /// <summary>This process asks which ones are there, and drops the others when it has copied or written them.</summary>
    Dropped,
}

/// <summary>Whether file systems know <c>RWF_DONTCACHE</c>: each one of the process is asked once.</summary>
internal static unsafe class UncachedIo
{
    private static readonly ConcurrentDictionary<ulong, bool> Known = new();
    private static readonly bool Can = NativeFeatures.HasCall("RWF_DONTCACHE") && NativeFeatures.HasCall("preadv2");

    /// <param name="file">A file open for reading.</param>
    /// <param name="device">The file system, as <see cref="FileStatus.Device"/>.</param>
    public static CachedPages Choose(SafeFileHandle file, ulong device) =>
        Can && Known.GetOrAdd(device, static (_, file) => Asks(file), file) ? CachedPages.Released : CachedPages.Dropped;

    private static bool Asks(SafeFileHandle file)
    {
        // After the end of every file: a miss would begin read-ahead, which continues as its pages are read.
        byte none;
        return PositionalRead.ReadCached(file, &none, 1, long.MaxValue / 2, dontCache: true) is >= 0 or -Errno.Again;
    }
}
