using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Opens a file past the page cache, through a description of our own, so that the caller's handle stays as it is.
/// </summary>
internal static class DirectOpen
{
    /// <summary>Offsets, lengths and addresses of direct reads are multiples of this where the kernel does not say; in bytes.</summary>
    /// <remarks>A page: the logical block of every common device, 512 or 4096 bytes, divides it.</remarks>
    public const int DefaultAlignment = 4096;

    private const int ReadOnly = 0; // O_RDONLY
    private const int WriteOnly = 1; // O_WRONLY

    private static readonly ByProcessor Direct = new(0x4000, 0x10000); // O_DIRECT

    /// <summary>Opens what <paramref name="file"/> has open once more, with O_DIRECT.</summary>
    /// <returns>Null, or why it cannot be had, in words for a person.</returns>
    public static string? TryReopen(
        SafeFileHandle file, bool write, out SafeFileHandle? direct, out int alignment)
    {
        direct = null;
        alignment = DefaultAlignment;
        // Since Linux 6.6 such a file system accepts O_DIRECT and copies as before, which was not requested.
        if (FileSystemKind.IsInMemory(file))
        {
            return "the file system keeps its files in memory";
        }

        if (!TryAlignment(file, ref alignment))
        {
            return "the file system does not open this file past the page cache";
        }

        SafeFileHandle opened = FileReopen.Open(file, (write ? WriteOnly : ReadOnly) | Direct.Here);
        if (opened.IsInvalid)
        {
            return $"opening with O_DIRECT was refused ({Marshal.GetLastPInvokeErrorMessage()})";
        }

        direct = opened;
        return null;
    }

    /// <summary>Since Linux 6.1 some file systems report the alignment that they need, or that they refuse.</summary>
    private static bool TryAlignment(SafeFileHandle file, ref int alignment)
    {
        if (StatX.TryGet(file, out StatX status, StatX.DirectAlignment) != 0 || (status.Mask & StatX.DirectAlignment) == 0)
        {
            return true;
        }

        // Blocks begin and end at whole pages; they cannot meet a stricter requirement.
        alignment = (int)Math.Max(status.DirectOffsetAlignment, DefaultAlignment);
        return status.DirectOffsetAlignment != 0
            && status.DirectMemoryAlignment <= Buffers.BlockPool.Alignment
            && Buffers.BlockPool.BodyBytes % alignment == 0;
    }
}
