using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Mapped;

/// <summary>The ways in which another program comes to write to a file, by the calls that it makes.</summary>
internal static partial class Writers
{
    private const int WriteOnly = 1; // O_WRONLY
    private const int Truncate = 0x200; // O_TRUNC
    private const int NonBlocking = 0x800; // O_NONBLOCK
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int Again = 11; // EAGAIN

    /// <summary>truncate(2): the file is not even opened.</summary>
    public static void TruncateByName(string path, long length)
    {
        Linux.Check(TruncateCall(path, length));
    }

    /// <summary>open(2) with O_TRUNC, as a shell's <c>&gt; file</c>.</summary>
    public static void OpenTruncating(string path) => _ = Linux.Check(Close(Open(path, WriteOnly | Truncate)));

    /// <summary>Opens, then cuts off: ftruncate(2).</summary>
    public static void OpenAndTruncate(string path, long length)
    {
        int file = Open(path, WriteOnly);
        int result = FTruncate(file, length);
        _ = Close(file);
        Linux.Check(result);
    }

    /// <summary>Opens for writing and leaves the file as it is.</summary>
    public static void OpenOnly(string path) => _ = Linux.Check(Close(Open(path, WriteOnly)));

    /// <summary>Opens for writing unless that has to wait.</summary>
    public static bool TryOpenOnly(string path)
    {
        int file = OpenCall(path, WriteOnly | NonBlocking | CloseOnExec);
        if (file < 0)
        {
            return Marshal.GetLastPInvokeError() == Again ? false : throw new Win32Exception();
        }

        _ = Close(file);
        return true;
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

    private static int Open(string path, int flags) => Linux.Check(OpenCall(path, flags | CloseOnExec));

    [LibraryImport("libc", EntryPoint = "truncate", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int TruncateCall(string path, long length);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    private static partial int FTruncate(int file, long length);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenCall(string path, int flags);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int file);
}
