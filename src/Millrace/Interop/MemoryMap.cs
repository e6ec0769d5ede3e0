using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Mapping parts of files, and replacing mappings. https://man7.org/linux/man-pages/man2/mmap.2.html,
/// mremap.2.html, madvise.2.html; values from asm-generic/mman.h, the same on x86-64 and arm64.
/// </summary>
internal static unsafe partial class MemoryMap
{
    /// <summary>Bytes that one entry of the page table's second level maps: the largest folio of the page cache.</summary>
    public const int HugePageBytes = 2 * 1024 * 1024;

    private const int ProtectRead = 1; // PROT_READ
    private const int ProtectWrite = 2; // PROT_WRITE
    private const int Private = 0x02; // MAP_PRIVATE
    private const int Fixed = 0x10; // MAP_FIXED
    private const int Anonymous = 0x20; // MAP_ANONYMOUS
    private const int NoReserve = 0x4000; // MAP_NORESERVE
    private const int MayMove = 1; // MREMAP_MAYMOVE
    private const int MoveFixed = 2; // MREMAP_FIXED
    private const int AdviceDontNeed = 4; // MADV_DONTNEED
    private const int AdviceHugePage = 14; // MADV_HUGEPAGE
    private const int AdvicePopulateRead = 22; // MADV_POPULATE_READ, Linux 5.14
    private const int ProtectNone = 0; // PROT_NONE
    private const int EventAdd = 1; // EPOLL_CTL_ADD
    private const int AroundBytes = 64 * 1024; // fault_around_bytes

    public static int PageBytes { get; } = Environment.SystemPageSize;

    /// <summary>Whether the kernel can enter pages and report an error instead of raising a signal.</summary>
    public static bool CanPopulate { get; } = ProbePopulate();

    /// <summary>Whether the kernel can be made to touch memory, and reports memory that is not there as an error.</summary>
    public static bool CanTouch { get; } = ProbeTouch();

    /// <summary>
    /// Maps a part of a file for reading, from a multiple of a page on; of <see cref="HugePageBytes"/> to have large
    /// folios mapped whole.
    /// </summary>
    /// <remarks>
    /// Private and writable for consumers that change their buffers in place, as ASP.NET Core's form reader does: the page
    /// is copied at the first write, where a mapping for reading would end the process. The file never changes. Nothing is
    /// reserved for such copies, which are rare.
    /// </remarks>
    public static byte* MapFile(SafeFileHandle file, nint bytes, long offset)
    {
        byte* address = MMap(null, bytes, ProtectRead | ProtectWrite, Private | NoReserve, file, offset);
        if (address == (byte*)-1)
        {
            return null;
        }

        // A miss reads whole huge folios, which makes this and every later mapping cheap. A kernel without them refuses.
        _ = MAdvise(address, bytes, AdviceHugePage);
        return address;
    }

    /// <summary>Memory that the system has back as soon as it is unmapped.</summary>
    [SuppressMessage("Usage", "CA2201", Justification = "As other allocations throw it.")]
    [SuppressMessage("Design", "MA0012", Justification = "As other allocations throw it.")]
    public static byte* MapPages(nint bytes)
    {
        byte* address = MMapAnonymous(null, bytes, ProtectRead | ProtectWrite, Private | Anonymous, -1, 0);
        return address == (byte*)-1
            ? throw new OutOfMemoryException($"No memory for blocks: {Marshal.GetLastPInvokeErrorMessage()}")
            : address;
    }

    public static byte* MapAnonymous(nint bytes)
    {
        byte* address = MMapAnonymous(null, bytes, ProtectRead | ProtectWrite, Private | Anonymous, -1, 0);
        if (address == (byte*)-1)
        {
            return null;
        }

        // Zeroed and entered 512 pages at a time where the kernel does that: a copy of 2 MiB took 0.45 ms instead of 1.
        _ = MAdvise(address, bytes, AdviceHugePage);
        return address;
    }

    /// <summary>Memory of a huge page, aligned to its size; of common pages where the kernel has no huge ones.</summary>
    public static byte* MapHugePage()
    {
        byte* mapped = MapPages(2 * HugePageBytes);
        _ = MAdvise(mapped, 2 * HugePageBytes, AdviceHugePage);
        byte* aligned = (byte*)(((nuint)mapped + HugePageBytes - 1) & ~((nuint)HugePageBytes - 1));
        if (aligned > mapped)
        {
            Unmap(mapped, (nint)(aligned - mapped));
        }

        Unmap(aligned + HugePageBytes, (nint)(mapped + HugePageBytes - aligned));
        return aligned;
    }

    /// <summary>Puts zeroes where something is mapped. A page of them costs nothing until it is written to.</summary>
    public static bool CoverWithZeroes(byte* address, nint bytes) =>
        MMapAnonymous(address, bytes, ProtectRead | ProtectWrite, Private | Anonymous | Fixed | NoReserve, -1, 0) == address;

    /// <summary>Puts the memory at <paramref name="from"/> over the mapping at <paramref name="to"/>.</summary>
    /// <remarks>A concurrent reader sees one or the other, never nothing.</remarks>
    public static bool MoveOver(byte* from, nint bytes, byte* to) =>
        MRemap(from, bytes, bytes, MayMove | MoveFixed, to) == to;

    public static void Unmap(byte* address, nint bytes) => _ = MUnmap(address, bytes);

    /// <summary>Enters the pages of a range, reading those not in the page cache.</summary>
    /// <returns>0, or the error number: SIGBUS becomes EFAULT here.</returns>
    public static int Populate(byte* address, nint bytes)
    {
        while (true)
        {
            if (MAdvise(address, bytes, AdvicePopulateRead) == 0)
            {
                return 0;
            }

            int error = Marshal.GetLastPInvokeError();
            if (error is not (Errno.Interrupted or Errno.Again))
            {
                return error;
            }
        }
    }

    /// <summary>
    /// Enters pages that are in the page cache by faults inside the kernel, each of which enters the 16 pages around it;
    /// populating looks up and locks every page, which took 1.5 times as long for everything.
    /// </summary>
    /// <remarks>
    /// <c>epoll_ctl</c> copies the event before it looks at its descriptors: -1 makes it fail without an effect, with EBADF
    /// where the memory can be read and with EFAULT where a program would have received SIGBUS.
    /// https://man7.org/linux/man-pages/man2/epoll_ctl.2.html
    /// </remarks>
    /// <returns>False when one of the pages that were touched cannot be read. Those between them were not looked at.</returns>
    public static bool TryTouch(byte* address, nint bytes)
    {
        for (byte* page = address; page < address + bytes; page += AroundBytes - (nint)((nuint)page % AroundBytes))
        {
            if (!Touch(page))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Takes the pages of a range out of the process; of a file they stay in the page cache.</summary>
    public static void Drop(byte* address, nint bytes) => _ = MAdvise(address, bytes, AdviceDontNeed);

    private static bool ProbePopulate()
    {
        if (!NativeFeatures.Mapping || MapAnonymous(PageBytes) is var page && page is null)
        {
            return false;
        }

        bool can = Populate(page, PageBytes) == 0;
        Unmap(page, PageBytes);
        return can;
    }

    private static bool Touch(byte* address) =>
        EPollControl(-1, EventAdd, -1, address) != 0 && Marshal.GetLastPInvokeError() == Errno.BadDescriptor;

    private static bool ProbeTouch()
    {
        if (!CanPopulate)
        {
            return false;
        }

        byte* page = MapAnonymous(PageBytes);
        byte* none = MMapAnonymous(null, PageBytes, ProtectNone, Private | Anonymous, -1, 0);
        bool can = page is not null && none != (byte*)-1
            && Touch(page)
            && !Touch(none) && Marshal.GetLastPInvokeError() == Errno.BadAddress;
        Unmap(page, PageBytes);
        Unmap(none, PageBytes);
        return can;
    }

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    private static partial int EPollControl(int poll, int operation, int file, byte* ev);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial byte* MMap(
        byte* address, nint bytes, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial byte* MMapAnonymous(
        byte* address, nint bytes, int protection, int flags, int file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int MUnmap(byte* address, nint bytes);

    [LibraryImport("libc", EntryPoint = "mremap", SetLastError = true)]
    private static partial byte* MRemap(byte* from, nint oldBytes, nint newBytes, int flags, byte* to);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int MAdvise(byte* address, nint bytes, int advice);
}
