using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>
/// Anonymous memory that the kernel is asked to back with huge pages. https://man7.org/linux/man-pages/man2/madvise.2.html
/// </summary>
internal static unsafe partial class HugePages
{
    /// <summary>Size and alignment of a huge page on x86-64, and on arm64 with pages of 4 KiB; in bytes.</summary>
    public const int Bytes = 2 * 1024 * 1024;

    private const int ReadWrite = 3; // PROT_READ | PROT_WRITE
    private const int PrivateAnonymous = 0x22; // MAP_PRIVATE | MAP_ANONYMOUS
    private const int AdviseHugePage = 14; // MADV_HUGEPAGE

    /// <summary>Memory of <see cref="Bytes"/>, aligned to as many; of common pages where the kernel has no huge ones.</summary>
    [SuppressMessage("Usage", "CA2201", Justification = "As any allocation says it.")]
    [SuppressMessage("Design", "MA0012", Justification = "As any allocation says it.")]
    public static byte* Allocate()
    {
        byte* mapped = (byte*)Map(null, 2 * Bytes, ReadWrite, PrivateAnonymous, -1, 0);
        if (mapped == (byte*)-1)
        {
            throw new OutOfMemoryException($"No memory for blocks: {Marshal.GetLastPInvokeErrorMessage()}");
        }

        byte* aligned = (byte*)(((nuint)mapped + Bytes - 1) & ~((nuint)Bytes - 1));
        if (aligned > mapped)
        {
            _ = Unmap(mapped, (nuint)(aligned - mapped));
        }

        _ = Unmap(aligned + Bytes, (nuint)(mapped + Bytes - aligned));
        _ = Advise(aligned, Bytes, AdviseHugePage);
        return aligned;
    }

    public static void Free(byte* memory) => _ = Unmap(memory, Bytes);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial void* Map(void* address, nuint bytes, int protection, int flags, int file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(void* address, nuint bytes);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Advise(void* address, nuint bytes, int advice);
}
