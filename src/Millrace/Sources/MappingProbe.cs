using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>Measures whether mapping a file pays: what it costs to enter pages that are in the page cache.</summary>
/// <remarks>
/// That cost is all that mapping adds to parsing, and it depends on how the file got into the cache: in folios of 2 MiB
/// one entry of the page table does for 512 pages. docs/mapped.md says which cost goes with which gain.
/// </remarks>
internal static unsafe class MappingProbe
{
    private const int ProbedBytes = MappedSource.WindowBytes;
    private const int Tries = 2;

    /// <summary>
    /// The cost of entering and leaving 1 MiB, in nanoseconds; takes 5 to 200 µs. Touches no page, so it needs no
    /// lease.
    /// </summary>
    /// <param name="file">Open for reading.</param>
    /// <param name="offset">Where reading is to begin, in bytes.</param>
    /// <param name="end">Where it is to end; not beyond the end of the file.</param>
    /// <returns>Null where the file is not in the cache, too short to tell, or not to be mapped.</returns>
    public static double? NanosecondsPerMiB(SafeFileHandle file, long offset, long end)
    {
        // In the middle: read-ahead begins with small folios.
        long start = (offset + ((end - offset) / 2)) / MemoryMap.HugePageBytes * MemoryMap.HugePageBytes;
        if (!MemoryMap.CanPopulate || start < offset || start + ProbedBytes > end
            || MappedBlock.TryMap(file, start, ProbedBytes) is not { } window)
        {
            return null;
        }

        try
        {
            if (!PageCache.Holds(file, window.Pointer, start, ProbedBytes))
            {
                return null;
            }

            // The better of two: the first one also pays for a page table.
            TimeSpan best = TimeSpan.MaxValue;
            for (int i = 0; i < Tries; i++)
            {
                long before = Stopwatch.GetTimestamp();
                if (MemoryMap.Populate(window.Pointer, ProbedBytes) != 0)
                {
                    return null;
                }

                MemoryMap.Drop(window.Pointer, ProbedBytes);
                TimeSpan taken = Stopwatch.GetElapsedTime(before);
                best = taken < best ? taken : best;
            }

            return best.TotalNanoseconds * (1 << 20) / ProbedBytes;
        }
        finally
        {
            window.Release();
        }
    }
}
