using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Tests.Mapped;

/// <summary>The ways in which another program comes to write to a file, by the calls that it makes.</summary>
internal static unsafe partial class Writers
{
    private const int WriteOnly = 1; // O_WRONLY
    private const int Truncate = 0x200; // O_TRUNC
    private const int NonBlocking = 0x800; // O_NONBLOCK
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int Again = 11; // EAGAIN

    /// <summary>truncate(2): the file is not even opened.</summary>
    public static void TruncateByName(string path, long length)
    {
        fixed (byte* name = NullTerminated(path))
        {
            Check(TruncateCall(name, length));
        }
    }

    /// <summary>open(2) with O_TRUNC, as a shell's <c>&gt; file</c>.</summary>
    public static void OpenTruncating(string path) => _ = Check(Close(Open(path, WriteOnly | Truncate)));

    /// <summary>Opens, then cuts off: ftruncate(2).</summary>
    public static void OpenAndTruncate(string path, long length)
    {
        int file = Open(path, WriteOnly);
        int result = FTruncate(file, length);
        _ = Close(file);
        Check(result);
    }

    /// <summary>Opens for writing and leaves the file as it is.</summary>
    public static void OpenOnly(string path) => _ = Check(Close(Open(path, WriteOnly)));

    /// <summary>Opens for writing unless that has to wait.</summary>
    public static bool TryOpenOnly(string path)
    {
        fixed (byte* name = NullTerminated(path))
        {
            int file = OpenCall(name, WriteOnly | NonBlocking | CloseOnExec);
            if (file >= 0)
            {
                _ = Close(file);
                return true;
            }

            return Marshal.GetLastPInvokeError() == Again ? false : throw new Win32Exception();
        }
    }

    /// <summary>Overwrites the whole file in place.</summary>
    public static void Overwrite(string path, byte[] content)
    {
        using FileStream stream = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        stream.Write(content);
    }

    /// <summary>The framework's own way: opens, locks, then truncates.</summary>
    public static void CreateByFramework(string path)
    {
        using FileStream stream = new(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
    }

    private static int Open(string path, int flags)
    {
        fixed (byte* name = NullTerminated(path))
        {
            return Check(OpenCall(name, flags | CloseOnExec));
        }
    }

    private static byte[] NullTerminated(string path) => [.. Encoding.UTF8.GetBytes(path), 0];

    private static int Check(int result) => result >= 0 ? result : throw new Win32Exception();

    [LibraryImport("libc", EntryPoint = "truncate", SetLastError = true)]
    private static partial int TruncateCall(byte* path, long length);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int FTruncate(int file, long length);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    private static partial int OpenCall(byte* path, int flags);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int file);
}
