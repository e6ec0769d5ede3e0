using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Tests.Mapped;

/// <summary>Takes a file out of the page cache.</summary>
internal static unsafe partial class Eviction
{
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <returns>Whether it is out, which file systems in memory refuse.</returns>
    public static bool TryEvict(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
        RandomAccess.FlushToDisk(file);
        byte first;
        return Advise(file, 0, 0, DontNeed) == 0 && PositionalRead.ReadCached(file, &first, 1, 0) < 0;
    }

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
