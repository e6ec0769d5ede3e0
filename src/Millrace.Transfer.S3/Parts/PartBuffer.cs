using System.Buffers;

namespace Millrace.Transfer.S3;

/// <summary>The bytes of one part, in native blocks. Not thread-safe while it is filled; then any number may read it.</summary>
internal sealed class PartBuffer : IDisposable
{
    private readonly PartMemory _memory;
    private readonly long _taken;
    private readonly List<IMemoryOwner<byte>> _blocks = [];
    private int _disposed;

    public PartBuffer(PartMemory memory, long capacity, long taken)
    {
        _memory = memory;
        _taken = taken;
        Capacity = capacity;
    }

    public static int BlockBytes => AlignedMemoryPool.Shared.MaxBufferSize;

    public long Capacity { get; }

    public long Length { get; private set; }

    public bool IsFull => Length == Capacity;

    public static long RoundUp(long bytes) => Math.Max(1, (bytes + BlockBytes - 1) / BlockBytes) * BlockBytes;

    /// <summary>Where the next bytes go: up to the end of a block or of the part; never empty unless it is full.</summary>
    public Memory<byte> GetMemory()
    {
        int at = (int)(Length % BlockBytes);
        if (Length == (long)_blocks.Count * BlockBytes && !IsFull)
        {
            _blocks.Add(AlignedMemoryPool.Shared.Rent());
        }

        return IsFull ? default : _blocks[^1].Memory[at..(int)Math.Min(BlockBytes, at + Capacity - Length)];
    }

    public void Advance(int bytes) => Length += bytes;

    /// <summary>Copies what fits.</summary>
    /// <returns>How many bytes.</returns>
    public int Write(ReadOnlySpan<byte> source)
    {
        int written = 0;
        while (written < source.Length && !IsFull)
        {
            Span<byte> room = GetMemory().Span;
            int count = Math.Min(room.Length, source.Length - written);
            source.Slice(written, count).CopyTo(room);
            Advance(count);
            written += count;
        }

        return written;
    }

    /// <summary>Its bytes from an offset to the end of that block; empty at the end.</summary>
    public ReadOnlyMemory<byte> Read(long offset)
    {
        if (offset >= Length)
        {
            return default;
        }

        int at = (int)(offset % BlockBytes);
        return _blocks[(int)(offset / BlockBytes)].Memory[at..(int)Math.Min(BlockBytes, at + Length - offset)];
    }

    /// <summary>Forgets the bytes after an offset.</summary>
    public void Truncate(long length)
    {
        Length = length;
        int blocks = (int)((length + BlockBytes - 1) / BlockBytes);
        while (_blocks.Count > blocks)
        {
            _blocks[^1].Dispose();
            _blocks.RemoveAt(_blocks.Count - 1);
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            Length = 0;
            _blocks.ForEach(static block => block.Dispose());
            _blocks.Clear();
            _memory.Return(_taken);
        }
    }
}
