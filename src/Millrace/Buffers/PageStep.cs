using Millrace.Tuning;

namespace Millrace.Buffers;

/// <summary>How memory lies against the bytes of the file that it holds, modulo a page.</summary>
/// <remarks>
/// The kernel copies with one instruction, which some processors (AMD Zen 3 and 4) run at a fifth of its speed when the destination
/// begins 1 to 15 bytes after the source, modulo a page: they mistake each load for one of the bytes just stored.
/// Millrace's own memory is therefore in step with the file. See docs/measuring.md, "Memory in step with the file".
/// </remarks>
internal static unsafe class PageStep
{
    /// <summary>Where such a copy is fast again, with room for a processor that is a little different.</summary>
    private const int Near = 16;

    /// <summary>
    /// How far ahead of a large file memory is best when the thread that reads also consumes: not at a multiple of 32 bytes, where AMD's
    /// processors (measured: Zen 4) copy past their cache; elsewhere 0.
    /// </summary>
    /// <remarks>
    /// 128 MiB read and summed took 0.87 of the time in C, 0.90 by a pipe. Two threads that read at once lose by it, and so do
    /// files that fit in the last cache. See docs/measuring.md, "Memory in step with the file".
    /// </remarks>
    public static int KeepsInCache { get; } = CopySize.IsAmd ? 176 : 0;

    /// <summary>Half a page: as far out of step as memory can be.</summary>
    public const int Half = BlockPool.Alignment / 2;

    /// <summary>Index of the first byte at or after a pointer that is in step with an offset of the file.</summary>
    public static int IndexFor(long offset, byte* memory) => (int)((offset - (long)memory) & (BlockPool.Alignment - 1));

    /// <summary>Whether writing these bytes to that offset would be slow.</summary>
    public static bool IsSlowToWrite(ReadOnlySpan<byte> source, long offset)
    {
        fixed (byte* memory = source)
        {
            return !source.IsEmpty && IsJustBehind(IndexFor(offset, memory));
        }
    }

    /// <summary>Whether reading from that offset to this memory would be slow. The memory is pinned or native.</summary>
    public static bool IsSlowToRead(byte* destination, long offset) =>
        IsJustBehind(BlockPool.Alignment - IndexFor(offset, destination));

    /// <summary>Copies two pieces that are to be written together where the kernel would be slow to copy one of them.</summary>
    /// <returns>
    /// Null, or a block that holds both, which are the first piece now. Half a page out of step: in step, the copy that is made here
    /// would be the slow one.
    /// </returns>
    public static NativeBlock? JoinIfSlow(ref ReadOnlySpan<byte> first, ref ReadOnlySpan<byte> second, long offset)
    {
        if ((!IsSlowToWrite(first, offset) && !IsSlowToWrite(second, offset + first.Length))
            || first.Length + (long)second.Length > BlockPool.BlockBytes - BlockPool.Alignment)
        {
            return null;
        }

        NativeBlock block = BlockPool.Shared.Rent();
        var joined = new Span<byte>(block.Pointer + IndexFor(offset + Half, block.Pointer), first.Length + second.Length);
        first.CopyTo(joined);
        second.CopyTo(joined[first.Length..]);
        first = joined;
        second = default;
        return block;
    }

    private static bool IsJustBehind(int distance) => distance is > 0 and < Near;
}
