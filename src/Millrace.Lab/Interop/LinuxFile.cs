using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Lab.Interop;

/// <summary>The calls that set and inspect a file's place in the page cache. Linux only.</summary>
internal static unsafe partial class LinuxFile
{
    public const int AdviceDoNotNeed = 4;
    public const int ProtectionRead = 1;
    public const int MapShared = 1;

    /// <summary>O_RDONLY | O_DIRECTORY | O_CLOEXEC.</summary>
    public static readonly ByProcessor OpenFolderFlags = new(0x90000, 0x84000);

    public const int AccessWrite = 2;

    /// <summary>open(2).</summary>
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial SafeFileHandle Open(string path, int flags);

    /// <summary>posix_fadvise(2). Returns the error number; errno is not set.</summary>
    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    public static partial int Advise(SafeFileHandle file, nint offset, nint bytes, int advice);

    /// <summary>mmap(2).</summary>
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(nint address, nuint bytes, int protection, int flags, SafeFileHandle file, nint offset);

    /// <summary>munmap(2).</summary>
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint bytes);

    /// <summary>mincore(2): one byte per page, whose lowest bit is set if the page is resident.</summary>
    [LibraryImport("libc", EntryPoint = "mincore", SetLastError = true)]
    public static partial int Resident(nint address, nuint bytes, byte* pages);

    /// <summary>access(2). 0 when allowed.</summary>
    [LibraryImport("libc", EntryPoint = "access", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Access(string path, int mode);

    /// <summary>link(2): a second name for a file. It is not interrupted by signals.</summary>
    /// <returns>0; another number when the file system has none, or the system does not let this process.</returns>
    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Link(string path, string second);
}
