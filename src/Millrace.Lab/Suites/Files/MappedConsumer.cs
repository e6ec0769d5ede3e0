using System.IO.MemoryMappedFiles;

namespace Millrace.Lab.Suites.Files;

/// <summary>The consumer of the framework's memory-mapped file.</summary>
internal static unsafe class MappedConsumer
{
    // This row is what Millrace's own mapping is compared with; a truncated test file is the laboratory's own fault.
#pragma warning disable RS0030
    /// <summary>Maps the whole file and hands it over in chunks.</summary>
    public static ReadOutcome Sum(string path, long bytes, int chunk)
    {
        using var file = MemoryMappedFile.CreateFromFile(
            path, FileMode.Open, mapName: null, capacity: 0, MemoryMappedFileAccess.Read);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, bytes, MemoryMappedFileAccess.Read);
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        try
        {
            var checksum = default(Checksum);
            byte* next = start + view.PointerOffset;
            for (long left = bytes; left > 0; left -= chunk, next += chunk)
            {
                checksum.Add(new ReadOnlySpan<byte>(next, (int)Math.Min(left, chunk)));
            }

            return new ReadOutcome(checksum.Sum, checksum.Bytes, CallTicks: 0);
        }
        finally
        {
            view.SafeMemoryMappedViewHandle.ReleasePointer();
        }
    }
#pragma warning restore RS0030
}
