using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Change notifications of folders. https://man7.org/linux/man-pages/man7/inotify.7.html; values from linux/inotify.h.
/// </summary>
internal static partial class FolderNotices
{
    /// <summary>Notifications were lost; it names no folder.</summary>
    public const uint Overflow = 0x4000; // IN_Q_OVERFLOW

    /// <summary>Bytes of a notification before its name (struct inotify_event).</summary>
    public const int HeaderBytes = 16;

    private const int CloseOnExec = 0x80000; // IN_CLOEXEC
    private const uint Modified = 0x2; // IN_MODIFY
    private const uint MovedFrom = 0x40; // IN_MOVED_FROM
    private const uint MovedTo = 0x80; // IN_MOVED_TO
    private const uint Created = 0x100; // IN_CREATE
    private const uint Deleted = 0x200; // IN_DELETE
    private const uint OnlyFolders = 0x1000000; // IN_ONLYDIR
    private const uint Changes = Modified | MovedFrom | MovedTo | Created | Deleted;

    private static readonly bool HasFunctions = NativeFeatures.Linux && NativeFeatures.HasFunction("inotify_init1")
        && NativeFeatures.HasFunction("inotify_add_watch") && NativeFeatures.HasFunction("inotify_rm_watch");

    /// <returns>Null where the system has none, or the user no instance left.</returns>
    public static SafeFileHandle? TryCreate()
    {
        if (!HasFunctions)
        {
            return null;
        }

        var instance = new SafeFileHandle(Init(CloseOnExec), ownsHandle: true);
        return instance.IsInvalid ? null : instance;
    }

    /// <returns>The number of the folder's watch, the same for every name of the folder; negative if it cannot be watched.</returns>
    public static int Watch(SafeFileHandle instance, string folder) => AddWatch(instance, folder, Changes | OnlyFolders);

    public static void Unwatch(SafeFileHandle instance, int watch) => _ = RemoveWatch(instance, watch);

    [LibraryImport("libc", EntryPoint = "inotify_init1", SetLastError = true)]
    private static partial int Init(int flags);

    [LibraryImport("libc", EntryPoint = "inotify_add_watch", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int AddWatch(SafeFileHandle instance, string folder, uint mask);

    [LibraryImport("libc", EntryPoint = "inotify_rm_watch", SetLastError = true)]
    private static partial int RemoveWatch(SafeFileHandle instance, int watch);
}
