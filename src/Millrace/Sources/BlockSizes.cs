using System.Buffers;
using System.Globalization;
using System.Numerics;
using Millrace.Buffers;
using Millrace.Tuning;

namespace Millrace.Sources;

/// <summary>How many bytes of a file one block takes.</summary>
/// <param name="Bytes">Bytes that a block takes.</param>
/// <param name="Reason">The reason, unless it is the usual size.</param>
internal readonly record struct BlockSizes(int Bytes, string? Reason = null)
{
    /// <summary>A file is read in at least so many blocks, so that memory stays in proportion to it.</summary>
    private const int MinBlocks = 4;

    /// <summary>
    /// Bytes of one read of a large file, and of one write of a large chunk, where <c>MILLRACE_BLOCK_BYTES</c> or the runtime setting <c>Millrace.BlockBytes</c>
    /// fixes them, as <see cref="FileReadOptions.BlockBytes"/>; otherwise 0.
    /// </summary>
    public static int ForProcess { get; } =
        int.TryParse(
            Environment.GetEnvironmentVariable("MILLRACE_BLOCK_BYTES") ?? AppContext.GetData("Millrace.BlockBytes") as string,
            CultureInfo.InvariantCulture,
            out int bytes) && FileReadOptions.IsBlockSize(bytes) ? bytes : 0;

    /// <summary>How many of the usual blocks one is as large as, at least 1.</summary>
    public int UsualBlocks => Math.Max(1, Bytes / BlockPool.BodyBytes);

    public static BlockSizes For(OpenFile file, in FileReadOptions options)
    {
        if (options.BlockBytes > 0)
        {
            return new BlockSizes(options.BlockBytes, "as asked for");
        }

        // A caller's pool was made for the usual blocks.
        long rest = file.Native && options.Pool is null ? file.KnownEnd - file.Start : 0;
        long limit = Math.Min(Math.Min(rest / MinBlocks, options.MaxBufferedBytes), BlockPool.LargeBodyBytes);
        if (limit < 2 * BlockPool.BodyBytes)
        {
            return ForProcess is > 0 and < BlockPool.BodyBytes ? new BlockSizes(ForProcess, "fixed for the process") : new BlockSizes(BlockPool.BodyBytes);
        }

        (int wanted, string reason) = ForProcess > 0 ? (ForProcess, "fixed for the process")

            // A part of a folio takes all of it out of the cache, and the next block has to read it from the device again.
            : !file.KeepsCached ? (BlockPool.LargeBodyBytes, "the largest folio, which leaves the page cache as a whole")
            : (CopySize.Known, "known to suit the processor");
        return new BlockSizes(Math.Min(wanted, 1 << BitOperations.Log2((uint)limit)), reason);
    }

    public BlockAllocator Allocator(MemoryPool<byte>? foreign) =>
        new(foreign, Bytes > BlockPool.BodyBytes ? BlockPool.Large : null, Bytes);

    /// <summary>Adds to why a file is read as it is; nothing for the usual blocks.</summary>
    public string Describe() => Reason is null ? "" : $"; blocks of {Bytes / 1024} KiB, {Reason}";
}
