using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// The space of a file on its device: reserving it, releasing it, and starting to write the bytes that only the page
/// cache holds. https://man7.org/linux/man-pages/man2/fallocate.2.html, sync_file_range.2.html
/// </summary>
internal static partial class FileSpace
{
    private const int KeepSize = 1; // FALLOC_FL_KEEP_SIZE
    private const uint RangeWaitBefore = 1; // SYNC_FILE_RANGE_WAIT_BEFORE
    private const uint RangeWrite = 2; // SYNC_FILE_RANGE_WRITE
    private const uint RangeWaitAfter = 4; // SYNC_FILE_RANGE_WAIT_AFTER

    private static readonly bool CanAllocate = NativeFeatures.HasFunction("fallocate");
    private static readonly bool CanBeginWriting = NativeFeatures.HasFunction("sync_file_range");

    /// <returns>0, or the error number: EOPNOTSUPP where the file system cannot.</returns>
    public static int Reserve(SafeFileHandle file, long offset, long bytes) => Allocate(file, KeepSize, offset, bytes);

    /// <returns>0, or the error number: EOPNOTSUPP where the file system cannot.</returns>
    public static int Extend(SafeFileHandle file, long offset, long bytes) => Allocate(file, 0, offset, bytes);

    /// <summary>Sets the length; blocks that were reserved beyond it are given back.</summary>
    public static int Truncate(SafeFileHandle file, long length)
    {
        while (FTruncate(file, length) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    /// <summary>
    /// Hands the dirty pages of a range to the device and does not wait for it, unless its queue is full. Makes nothing
    /// durable. 0 bytes mean up to the end of the file.
    /// </summary>
    public static int BeginWriting(SafeFileHandle file, long offset, long bytes) => Sync(file, offset, bytes, RangeWrite);

    /// <summary>Waits until the device has a range. Makes nothing durable: a device may keep it in its own memory.</summary>
    public static int FinishWriting(SafeFileHandle file, long offset, long bytes) =>
        bytes == 0 ? 0 : Sync(file, offset, bytes, RangeWaitBefore | RangeWrite | RangeWaitAfter);

    private static int Sync(SafeFileHandle file, long offset, long bytes, uint flags) =>
        !CanBeginWriting ? Errno.NoSystemCall
        : SyncFileRange(file, offset, bytes, flags) == 0 ? 0
        : Marshal.GetLastPInvokeError();

    private static int Allocate(SafeFileHandle file, int mode, long offset, long bytes)
    {
        if (!CanAllocate)
        {
            return Errno.NotSupported;
        }

        while (FAllocate(file, mode, offset, bytes) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Errno.Interrupted)
            {
                return error;
            }
        }

        return 0;
    }

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    private static partial int FAllocate(SafeFileHandle file, int mode, long offset, long bytes);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int FTruncate(SafeFileHandle file, long length);

    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    private static partial int SyncFileRange(SafeFileHandle file, long offset, long bytes, uint flags);
}
