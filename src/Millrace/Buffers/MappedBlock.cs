using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Buffers;

/// <summary>
/// A part of a file mapped into memory, of which only pages that were entered may be touched. Nothing is read into it: it has
/// no headroom and is not appended to.
/// </summary>
/// <remarks>
/// Unmapped when its last user is done, so that no advice is given for addresses that are reused by then.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "Release unmaps; the manager owns nothing.")]
internal sealed unsafe class MappedBlock : Block
{
    private readonly NativeMemoryManager _manager;
    private int _users = 1;

    private MappedBlock(object owner, byte* address, int bytes, long fileOffset)
    {
        Pointer = address;
        Capacity = bytes;
        FileOffset = fileOffset;
        _manager = new NativeMemoryManager(owner, address, bytes);
    }

    protected override ReadOnlyMemory<byte> Memory => _manager.Memory;

    /// <summary>Maps a part of a file that lies within it; null when the system refuses.</summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where the part begins.</param>
    /// <param name="bytes">How long it is.</param>
    /// <param name="owner">The object that releases the block when it is finalized.</param>
    public static MappedBlock? TryMap(SafeFileHandle file, long offset, int bytes, object owner)
    {
        byte* address = MemoryMap.MapFile(file, bytes, offset);
        return address is null ? null : new MappedBlock(owner, address, bytes, offset);
    }

    public byte* At(long fileOffset) => Pointer + (fileOffset - FileOffset);

    public void Enter() => Interlocked.Increment(ref _users);

    public void Leave()
    {
        if (Interlocked.Decrement(ref _users) == 0)
        {
            MemoryMap.Unmap(Pointer, Capacity);
        }
    }

    public override void Release()
    {
        _manager.Invalidate();
        Leave();
    }
}
