using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Tests.Infrastructure;

/// <summary>Takes files out of the page cache, so that reading them waits for the disk.</summary>
internal static class ColdFile
{
    /// <summary>Drops the file from the cache, which file systems in memory do not do.</summary>
    /// <remarks>The file is not opened for writing: a reader that maps it next must find no writer.</remarks>
    public static void Evict(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite);

        // Only written pages can be dropped.
        RandomAccess.FlushToDisk(file);
        Linux.DropFromCache(file);
    }

    /// <summary>Whether reading the first byte would wait for the disk.</summary>
    public static unsafe bool IsCold(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path);
        byte first;
        return PositionalRead.ReadCached(file, &first, 1, 0) < 0;
    }
}
