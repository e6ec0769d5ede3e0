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

    /// <summary>Replaces the pages of a range of the file with a copy, and the rest with zeros.</summary>
    /// <remarks>
    /// The copy is read, not taken from the mapping: a page that was dropped since and that the device does not give
    /// back is an error here and would be a signal there.
    /// </remarks>
    /// <returns>False if memory for the copy is missing, or the file cannot be read.</returns>
    public bool TryReplace(SafeFileHandle file, long from, long to)
    {
        long start = from - (from % MemoryMap.PageBytes);
        nint bytes = (nint)(to - start + MemoryMap.PageBytes - 1) / MemoryMap.PageBytes * MemoryMap.PageBytes;
        if (to > from)
        {
            byte* copy = MemoryMap.MapAnonymous(bytes);
            if (copy is null)
            {
                return false;
            }

            if (!TryRead(file, copy, start, to) || !MemoryMap.MoveOver(copy, bytes, At(start)))
            {
                MemoryMap.Unmap(copy, bytes);
                return false;
            }
        }
        else
        {
            bytes = 0;
        }

        // The rest should not be touched; code that does reads zeros and does not end the process.
        Cover(Pointer, (nint)(start - FileOffset));
        Cover(At(start) + bytes, (nint)(FileOffset + Capacity - start) - bytes);
        return true;
    }

    public override void Release()
    {
        _manager.Invalidate();
        Leave();
    }

    private static bool TryRead(SafeFileHandle file, byte* copy, long from, long to)
    {
        for (long offset = from; offset < to;)
        {
            int wanted = (int)Math.Min(to - offset, 1 << 30);
            int read = PositionalRead.ReadWaiting(file, copy + (offset - from), wanted, offset);
            if (read <= 0)
            {
                return false;
            }

            offset += read;
        }

        return true;
    }

    private static void Cover(byte* address, nint bytes)
    {
        if (bytes > 0)
        {
            _ = MemoryMap.CoverWithZeroes(address, bytes);
        }
    }
}
