using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>Chooses how a file is read: what was asked for where it can be had, else the next best and why.</summary>
internal static class SourceFactory
{
    /// <summary>From this size on <see cref="ReadStrategy.Auto"/> reads ahead, in bytes.</summary>
    /// <remarks>Below it, waking a second thread costs more than overlapping saves. See docs/measuring.md.</remarks>
    public const long ReadAheadFromBytes = 16L * 1024 * 1024;

    public static ReadSource Create(OpenFile file, in FileReadOptions options)
    {
        if (options.Follow != FollowMode.None)
        {
            return new FollowSource(file, options);
        }

        var allocator = new BlockAllocator(options.Pool);
        if (!file.CanSeek)
        {
            return new CachedSource(file, allocator, ReadStrategy.Buffered, "the file has no positions (FIFO, terminal or socket)");
        }

        return options.Strategy switch
        {
            ReadStrategy.Buffered => new CachedSource(file, allocator, ReadStrategy.Buffered, "asked for"),
            ReadStrategy.ReadAhead => new CachedSource(file, allocator, ReadStrategy.ReadAhead, "asked for"),
            ReadStrategy.Mapped => Mapped(file, options, allocator),
            ReadStrategy.Direct => Direct(file, allocator),
            _ => Auto(file, allocator),
        };
    }

    private static ReadSource Mapped(OpenFile file, in FileReadOptions options, in BlockAllocator allocator) =>
        MappedSource.TryCreate(file, options, out string reason) is { } mapped
            ? mapped
            : new CachedSource(file, allocator, ReadStrategy.Buffered, reason);

    private static ReadSource Direct(OpenFile file, in BlockAllocator allocator)
    {
        string? refusal = DirectSource.TryOpen(file, out DirectSource? source);
        return source is not null ? source : new CachedSource(file, allocator, ReadStrategy.Buffered, refusal!);
    }

    private static CachedSource Auto(OpenFile file, in BlockAllocator allocator)
    {
        long wanted = Math.Min(file.SizeAtOpen, file.Limit) - file.Start;
        if (file.Kind != FileKind.Regular || wanted < ReadAheadFromBytes)
        {
            return new CachedSource(file, allocator, ReadStrategy.Buffered, "too small for a second thread to pay");
        }

        return Environment.ProcessorCount < 2
            ? new CachedSource(file, allocator, ReadStrategy.Buffered, "one processor")
            : new CachedSource(file, allocator, ReadStrategy.ReadAhead, "large file and more than one processor");
    }
}
