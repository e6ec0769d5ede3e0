using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Unicode;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Opens a file past the page cache, through a description of our own, so that the caller's handle stays as it is.
/// </summary>
internal static unsafe partial class DirectOpen
{
    /// <summary>Offsets, lengths and addresses of direct reads are multiples of this where the kernel does not say; in bytes.</summary>
    /// <remarks>A page: the logical block of every common device, 512 or 4096 bytes, divides it.</remarks>
    public const int DefaultAlignment = 4096;

    private const int ReadOnly = 0; // O_RDONLY
    private const int WriteOnly = 1; // O_WRONLY
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint DirectAlignment = 0x2000; // STATX_DIOALIGN
    private const long TmpFs = 0x01021994; // TMPFS_MAGIC
    private const long RamFs = 0x858458f6; // RAMFS_MAGIC

    /// <summary>O_DIRECT, one of the few flags whose value depends on the processor (asm/fcntl.h); 0 where it is not known.</summary>
    private static int Direct => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 0x4000,
        Architecture.Arm64 => 0x10000,
        _ => 0,
    };

    /// <summary>
    /// Opens what <paramref name="file"/> has open once more, with O_DIRECT, by its name in /proc: that works for a
    /// file that was renamed or deleted since, and asks for no path. https://man7.org/linux/man-pages/man2/open.2.html
    /// </summary>
    /// <returns>Null, or why it cannot be had, in words for a person.</returns>
    public static string? TryReopen(
        SafeFileHandle file, bool write, out SafeFileHandle? direct, out int alignment)
    {
        direct = null;
        alignment = DefaultAlignment;
        if (Direct == 0)
        {
            return "O_DIRECT is not known for this processor";
        }

        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            int descriptor = (int)file.DangerousGetHandle();
            if (IsInMemory(descriptor))
            {
                return "the file system keeps its files in memory";
            }

            if (!TryAlignment(descriptor, ref alignment))
            {
                return "the file system does not open this file past the page cache";
            }

            Span<byte> name = stackalloc byte[32];
            _ = Utf8.TryWrite(name, CultureInfo.InvariantCulture, $"/proc/self/fd/{descriptor}\0", out _);
            int opened;
            fixed (byte* bytes = name)
            {
                opened = Open(bytes, (write ? WriteOnly : ReadOnly) | Direct | CloseOnExec, 0);
            }

            if (opened < 0)
            {
                return $"opening with O_DIRECT was refused ({Marshal.GetLastPInvokeErrorMessage()})";
            }

            direct = new SafeFileHandle(opened, ownsHandle: true);
            return null;
        }
        finally
        {
            if (added)
            {
                file.DangerousRelease();
            }
        }
    }

    /// <summary>
    /// Since Linux 6.6 such a file system accepts O_DIRECT and copies as before, which is not what was asked for.
    /// </summary>
    private static bool IsInMemory(int descriptor)
    {
        StatFs status;
        return FStatFs(descriptor, &status) == 0 && status.Type is TmpFs or RamFs;
    }

    /// <summary>Since Linux 6.1 some file systems report the alignment that they need, or that they refuse.</summary>
    private static bool TryAlignment(int descriptor, ref int alignment)
    {
        StatX status;
        byte empty = 0;
        if (StatXCall(descriptor, &empty, EmptyPath, DirectAlignment, &status) != 0
            || (status.Mask & DirectAlignment) == 0)
        {
            return true;
        }

        // Blocks begin and end at whole pages; a demand beyond that is beyond what they are made for.
        alignment = (int)Math.Max(status.OffsetAlignment, DefaultAlignment);
        return status.OffsetAlignment != 0
            && status.MemoryAlignment <= Buffers.BlockPool.Alignment
            && Buffers.BlockPool.BodyBytes % alignment == 0;
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    private static partial int Open(byte* path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true)]
    private static partial int StatXCall(int folder, byte* path, int flags, uint mask, StatX* status);

    [LibraryImport("libc", EntryPoint = "fstatfs", SetLastError = true)]
    private static partial int FStatFs(int descriptor, StatFs* status);

    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct StatX
    {
        [FieldOffset(0)]
        public uint Mask;

        [FieldOffset(152)]
        public uint MemoryAlignment;

        [FieldOffset(156)]
        public uint OffsetAlignment;
    }

    /// <summary>struct statfs of 64-bit processors, asm-generic/statfs.h: 120 bytes.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct StatFs
    {
        [FieldOffset(0)]
        public long Type;
    }
}
