using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>struct iovec of sys/uio.h: a piece of memory that one call takes with others.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct MemoryVector
{
    public byte* Base;
    public nuint Length;
}
