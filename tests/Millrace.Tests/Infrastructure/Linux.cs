using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Infrastructure;

/// <summary>The system calls that tests need and .NET does not have.</summary>
internal static partial class Linux
{
    private const int OpenReadOnly = 0; // O_RDONLY
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int DontNeed = 4; // POSIX_FADV_DONTNEED

    /// <summary>https://man7.org/linux/man-pages/man3/mkfifo.3.html</summary>
    public static void MakeFifo(string path) => Check(MkFifo(path, 0x180));

    /// <summary>A second name for a file. https://man7.org/linux/man-pages/man2/link.2.html</summary>
    public static void MakeHardLink(string existing, string name) => Check(Link(existing, name));

    /// <summary>Opens anything, a folder too. https://man7.org/linux/man-pages/man2/open.2.html</summary>
    public static SafeFileHandle OpenForReading(string path) => new(Check(Open(path, OpenReadOnly | CloseOnExec)), ownsHandle: true);

    /// <summary>Moves the handle's own position. https://man7.org/linux/man-pages/man2/lseek.2.html</summary>
    public static void SetPosition(SafeFileHandle file, long offset) => Check(Seek(file, offset, 0));

    /// <summary>Where the handle's own position is.</summary>
    public static long GetPosition(SafeFileHandle file) => Check(Seek(file, 0, 1));

    /// <summary>
    /// Drops a file from the page cache, as far as it is written. https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
    /// </summary>
    public static void DropFromCache(SafeFileHandle file) => Check(-Advise(file, 0, 0, DontNeed));

    /// <summary>The descriptors of a file in this process.</summary>
    public static int[] Descriptors(string path) =>
    [
        .. Directory.EnumerateFiles("/proc/self/fd")
            .Where(name => string.Equals(new FileInfo(name).LinkTarget, path, StringComparison.Ordinal))
            .Select(name => int.Parse(Path.GetFileName(name))),
    ];

    public static int OpenDescriptors(string path) => Descriptors(path).Length;

    /// <summary>Waits until the process has no descriptor of the file: a read on its way keeps it open until it ends.</summary>
    public static Task ClosedAsync(string path) => Bounded.UntilAsync(() => OpenDescriptors(path) == 0);

    /// <summary>
    /// The user as whom the calling thread, and no other, uses files after this call; with root goes the right to ignore
    /// permissions. https://man7.org/linux/man-pages/man2/setfsuid.2.html
    /// </summary>
    /// <returns>The user before.</returns>
    public static uint UseFilesAs(uint user) => (uint)SetFileSystemUser(user);

    /// <summary>
    /// A second descriptor of an open file, as a process has it that was forked and has not run its program yet.
    /// https://man7.org/linux/man-pages/man2/dup.2.html
    /// </summary>
    public static SafeFileHandle Duplicate(SafeFileHandle file) => new(Check(Dup(file)), ownsHandle: true);

    public static int Check(int result) => (int)Check((long)result);

    private static long Check(long result) => result >= 0 ? result : throw new Win32Exception();

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MkFifo(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string existing, string name);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "dup", SetLastError = true)]
    private static partial int Dup(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    private static partial long Seek(SafeFileHandle file, long offset, int whence);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long length, int advice);

    [LibraryImport("libc", EntryPoint = "setfsuid")]
    private static partial int SetFileSystemUser(uint user);
}
