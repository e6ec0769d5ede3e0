using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Tuning;

namespace Millrace.Sources;

/// <summary>
/// Where a reader's bytes come from. A source extends the reader's window; the source decides how far it reads ahead and on which
/// threads. The reader's thread calls everything but <see cref="Disarm"/> and <see cref="Dispose"/>, which any may.
/// </summary>
internal abstract class ReadSource : IDisposable
{
    /// <summary>From this size on <see cref="ReadStrategy.Auto"/> reads ahead, in bytes.</summary>
    /// <remarks>Below it, waking a second thread costs more than overlapping saves. See docs/measuring.md.</remarks>
    private const long ReadAheadFromBytes = 16L * 1024 * 1024;

    public abstract OpenFile File { get; }

    public abstract ReadStrategy Strategy { get; }

    public abstract string Reason { get; }

    /// <summary>Chooses how a file is read: the requested strategy where the system supports it, otherwise the next best and why.</summary>
    public static ReadSource Create(OpenFile file, in FileReadOptions options)
    {
        if (options.Follow != FollowMode.None)
        {
            return new FollowSource(file, options);
        }

        if (!file.CanSeek)
        {
            return Cached(ReadStrategy.Buffered, "the file has no positions (FIFO, terminal or socket)", options);
        }

        string? refusal;
        switch (options.Strategy)
        {
            case ReadStrategy.Buffered or ReadStrategy.ReadAhead:
                return Cached(options.Strategy, "asked for", options);
            case ReadStrategy.Mapped when !file.KeepsCached:
                return Cached(ReadStrategy.Buffered, "mapped pages would stay in the page cache", options);
            case ReadStrategy.Mapped:
                return MappedSource.TryCreate(file, options, out refusal) is { } mapped
                    ? mapped
                    : Cached(ReadStrategy.Buffered, refusal, options);
            case ReadStrategy.Direct:
                refusal = DirectSource.TryOpen(file, null, out DirectSource? direct);
                return direct is not null ? direct : Cached(ReadStrategy.Buffered, refusal!, options);
        }

        long wanted = Math.Min(file.SizeAtOpen, file.Limit) - file.Start;
        return file.Kind != FileKind.Regular || wanted < ReadAheadFromBytes
                ? Cached(ReadStrategy.Buffered, "too small to benefit from a second thread", options)
            : Environment.ProcessorCount < 2 ? Cached(ReadStrategy.Buffered, "one processor", options)
            : ProcessorLoad.IsFull ? Cached(ReadStrategy.Buffered, "a second thread would find no idle processor", options)
            : Cached(ReadStrategy.ReadAhead, "large file and more than one processor", options);

        CachedSource Cached(ReadStrategy strategy, string reason, in FileReadOptions options) =>
            new(file, options, strategy, reason);
    }

    /// <summary>Adds the bytes that follow the window, without ever waiting for a device.</summary>
    public abstract FillResult TryFill(ref Window window);

    /// <summary>Adds the bytes that follow the window, waiting as long as it takes. Never <see cref="FillResult.Pending"/>.</summary>
    public virtual FillResult Fill(ref Window window)
    {
        using var ready = new BlockingWait();
        while (true)
        {
            FillResult result = TryFill(ref window);
            if (result != FillResult.Pending)
            {
                return result;
            }

            ready.Reset();
            if (Arm(ready))
            {
                ready.Wait();
            }
        }
    }

    /// <summary>Asks to be called when <see cref="TryFill"/> will no longer return <see cref="FillResult.Pending"/>.</summary>
    /// <returns>False if that is so already; the callback is not kept then.</returns>
    public abstract bool Arm(IReadyCallback callback);

    /// <summary>Forgets the callback of <see cref="Arm"/>. It may be running.</summary>
    public abstract void Disarm();

    public abstract void Seek(long offset);

    /// <summary>Takes back the window's block. The window is empty afterwards.</summary>
    public void ReleaseWindow(ref Window window)
    {
        if (window.Block is { } block)
        {
            // The reader's position does not depend on the bytes it holds.
            window = new Window { EndOffset = window.StartOffset };
            Recycle(block);
        }
    }

    public abstract void Dispose();

    /// <summary>Takes back a block that is not used any more.</summary>
    public abstract void Recycle(Block block);
}

internal enum FillResult
{
    /// <summary>The window holds at least one byte more.</summary>
    Filled,

    /// <summary>The window holds at least one byte more, and nothing follows it.</summary>
    FilledLast,
    EndOfFile,

    /// <summary>The bytes are on their way; there are none without waiting.</summary>
    Pending,
}
