using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Infrastructure;

/// <summary>Takes files out of the page cache, so that reading them waits for the disk.</summary>
internal static class ColdFile
{
    public static void Evict(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, access: FileAccess.ReadWrite, share: FileShare.ReadWrite);

        // Only what is written can be dropped.
        RandomAccess.FlushToDisk(file);
        Linux.DropFromCache(file);
    }
}
