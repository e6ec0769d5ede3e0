using System.Buffers;
using System.Globalization;
using System.Numerics;
using Millrace.Buffers;
using Millrace.Tuning;

namespace Millrace.Sources;

/// <summary>How many bytes of a file one block takes.</summary>
/// <param name="Limit">Maximum bytes of a block; without a <paramref name="Tuner"/>, its exact size.</param>
/// <param name="Tuner">Chooses within the limit.</param>
/// <param name="Measures">Whether the reader's own reads are measured for it: not those of two threads at once, which take each other's memory.</param>
internal readonly record struct BlockSizes(int Limit, SizeTuner? Tuner = null, bool Measures = false)
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

    /// <summary>Bytes of the next block.</summary>
    public int Bytes => Tuner is null ? Limit : Math.Min(Tuner.Size, Limit);

    /// <summary>How many of the usual blocks one is as large as, at least 1.</summary>
    public int UsualBlocks => Math.Max(1, Bytes / BlockPool.BodyBytes);

    public static BlockSizes For(OpenFile file, in FileReadOptions options, bool oneThread = false)
    {
        if (options.BlockBytes > 0)
        {
            return new BlockSizes(options.BlockBytes);
        }

        // A caller's pool was made for the usual blocks, and without a positional read nothing could be measured.
        long rest = file.Native && options.Pool is null ? file.KnownEnd - file.Start : 0;
        long limit = Math.Min(Math.Min(rest / MinBlocks, options.MaxBufferedBytes), BlockPool.LargeBodyBytes);
        return limit >= 2 * BlockPool.BodyBytes ? new BlockSizes(1 << BitOperations.Log2((uint)limit), SizeTuner.Reading, oneThread)
            : new BlockSizes(ForProcess is > 0 and < BlockPool.BodyBytes and var bytes ? bytes : BlockPool.BodyBytes);
    }

    public BlockAllocator Allocator(MemoryPool<byte>? foreign) =>
        new(foreign, Limit > BlockPool.BodyBytes ? BlockPool.Large : null, Limit);

    /// <summary>Adds to why a file is read as it is; nothing for the usual blocks.</summary>
    public string Describe() =>
        Tuner is not null ? $"; blocks of {Bytes / 1024} KiB, {Tuner.Reason}"
        : Limit != BlockPool.BodyBytes ? $"; blocks of {Limit / 1024} KiB, as asked for"
        : "";
}
