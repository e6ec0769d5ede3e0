using System.Runtime.InteropServices;

namespace Millrace.Transfer.Server;

/// <summary>
/// The native memory of a <see cref="ConnectionBlock"/>. It is freed also when a connection was torn down and nobody gave
/// the block back.
/// </summary>
internal sealed unsafe class ConnectionMemory : SafeHandle
{
    /// <summary>A page: system calls copy whole ones best.</summary>
    private const nuint Alignment = 4096;

    public ConnectionMemory(int bytes)
        : base(invalidHandleValue: 0, ownsHandle: true)
    {
        SetHandle((nint)NativeMemory.AlignedAlloc((nuint)bytes, Alignment));
    }

    public override bool IsInvalid => handle == 0;

    public byte* Pointer => (byte*)handle;

    protected override bool ReleaseHandle()
    {
        NativeMemory.AlignedFree((byte*)handle);
        return true;
    }
}
