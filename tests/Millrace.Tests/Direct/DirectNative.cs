using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Direct;

/// <summary>The system calls of these tests: the page cache's content, and faults.</summary>
internal static unsafe partial class DirectNative
{
    private const int Read = 1; // PROT_READ
    private const int Shared = 1; // MAP_SHARED
    private const int NoNewPrivileges = 38; // PR_SET_NO_NEW_PRIVS
    private const int SetSeccomp = 22; // PR_SET_SECCOMP
    private const nint Filter = 2; // SECCOMP_MODE_FILTER

    /// <summary>
    /// Pages of a file that are in the page cache. https://man7.org/linux/man-pages/man2/mincore.2.html
    /// </summary>
    public static int ResidentPages(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path);
        nuint bytes = (nuint)RandomAccess.GetLength(file);
        byte* address = (byte*)Map(null, bytes, Read, Shared, file, 0);
        Linux.Check(address == (byte*)-1 ? -1 : 0);
        byte[] pages = new byte[(bytes + (nuint)Environment.SystemPageSize - 1) / (nuint)Environment.SystemPageSize];
        fixed (byte* vector = pages)
        {
            Linux.Check(InCore(address, bytes, vector));
        }

        Linux.Check(Unmap(address, bytes));
        return pages.Count(page => (page & 1) != 0);
    }

    /// <summary>Whether a descriptor was opened with O_DIRECT.</summary>
    public static bool IsDirect(int descriptor)
    {
        string flags = File.ReadLines($"/proc/self/fdinfo/{descriptor}").First(line => line.StartsWith("flags:", StringComparison.Ordinal));
        int direct = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x10000 : 0x4000;
        return (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & direct) != 0;
    }

    /// <summary>Puts another file under a descriptor, so that what uses it fails. https://man7.org/linux/man-pages/man2/dup2.2.html</summary>
    public static void Replace(int descriptor, SafeFileHandle by) => Linux.Check(Duplicate(by, descriptor));

    /// <summary>
    /// Has the kernel refuse one system call to this thread and those that it starts, as containers do.
    /// https://man7.org/linux/man-pages/man2/seccomp.2.html
    /// </summary>
    public static void RefuseToThisThread(uint systemCall, uint error)
    {
        Instruction* instructions = stackalloc Instruction[]
        {
            new(0x20, 0, 0, 0), // the number
            new(0x15, 0, 1, systemCall), // another one: skip
            new(0x06, 0, 0, 0x00050000 | error), // SECCOMP_RET_ERRNO
            new(0x06, 0, 0, 0x7fff0000), // SECCOMP_RET_ALLOW
        };
        var program = new Program { Length = 4, Instructions = instructions };
        Linux.Check(Control(NoNewPrivileges, 1, 0, 0, 0));
        Linux.Check(Control(SetSeccomp, Filter, (nint)(&program), 0, 0));
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial void* Map(void* address, nuint bytes, int protection, int flags, SafeFileHandle file, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(void* address, nuint bytes);

    [LibraryImport("libc", EntryPoint = "mincore", SetLastError = true)]
    private static partial int InCore(void* address, nuint bytes, byte* pages);

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(SafeFileHandle file, int descriptor);

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int what, nint a, nint b, nint c, nint d);

    /// <summary>struct sock_filter.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Instruction(ushort Code, byte IfTrue, byte IfFalse, uint Operand);

    /// <summary>struct sock_fprog.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Program
    {
        public ushort Length;
        public Instruction* Instructions;
    }
}
