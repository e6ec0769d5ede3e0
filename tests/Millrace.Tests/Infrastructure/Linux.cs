using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Tests.Infrastructure;

/// <summary>The system calls that tests need and .NET does not have.</summary>
internal static unsafe partial class Linux
{
    private const int OpenReadOnly = 0; // O_RDONLY
    private const int CloseOnExec = 0x80000; // O_CLOEXEC

    /// <summary>https://man7.org/linux/man-pages/man3/mkfifo.3.html</summary>
    public static void MakeFifo(string path)
    {
        fixed (byte* name = NullTerminated(path))
        {
            Check(MkFifo(name, 0x180));
        }
    }

    /// <summary>Opens anything, a folder too. https://man7.org/linux/man-pages/man2/open.2.html</summary>
    public static int OpenForReading(string path)
    {
        fixed (byte* name = NullTerminated(path))
        {
            return Check(Open(name, OpenReadOnly | CloseOnExec));
        }
    }

    /// <summary>
    /// The user as whom the calling thread, and no other, uses files from now on; with root goes the right to ignore
    /// permissions. https://man7.org/linux/man-pages/man2/setfsuid.2.html
    /// </summary>
    /// <returns>The user before.</returns>
    public static uint UseFilesAs(uint user) => (uint)SetFileSystemUser(user);

    private static byte[] NullTerminated(string path) => [.. Encoding.UTF8.GetBytes(path), 0];

    private static int Check(int result) => result >= 0 ? result : throw new Win32Exception();

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true)]
    private static partial int MkFifo(byte* path, uint mode);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    private static partial int Open(byte* path, int flags);

    [LibraryImport("libc", EntryPoint = "setfsuid")]
    private static partial int SetFileSystemUser(uint user);
}
