using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Testing;

/// <summary>Which pages of a file are in the page cache (Linux). https://man7.org/linux/man-pages/man2/mincore.2.html</summary>
public static unsafe partial class PageResidence
{
    private const int ProtectRead = 1; // PROT_READ
    private const int Shared = 1; // MAP_SHARED
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <summary>One value for each page of the file.</summary>
    public static bool[] Of(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path);
        nuint bytes = (nuint)RandomAccess.GetLength(file);
        byte* address = (byte*)Map(null, bytes, ProtectRead, Shared, file, 0);
        byte[] pages = new byte[(bytes + (nuint)Environment.SystemPageSize - 1) / (nuint)Environment.SystemPageSize];
        fixed (byte* vector = pages)
        {
            if (InCore(address, bytes, vector) != 0)
            {
                throw new InvalidOperationException(Marshal.GetLastPInvokeErrorMessage());
            }
        }

        _ = Unmap(address, bytes);
        return [.. pages.Select(page => (page & 1) != 0)];
    }

    /// <summary>How many pages of the file are there, of 1.</summary>
    public static double ShareOf(string path)
    {
        bool[] pages = Of(path);
        return (double)pages.Count(page => page) / pages.Length;
    }

    /// <summary>Writes a file to its device and takes it out of the page cache.</summary>
    public static void Evict(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
        _ = FSync(file);
        _ = Advise(file, 0, 0, DontNeed);
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial void* Map(void* address, nuint bytes, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(void* address, nuint bytes);

    [LibraryImport("libc", EntryPoint = "mincore", SetLastError = true)]
    private static partial int InCore(void* address, nuint bytes, byte* pages);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
