using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// Where a reader's bytes come from. A source extends the reader's window; what it reads ahead and on which threads is
/// its own affair. <see cref="TryFill"/>, <see cref="Fill"/>, <see cref="Seek"/> and <see cref="ReleaseWindow"/> are
/// called by one thread at a time, the reader's; <see cref="Disarm"/> and <see cref="Dispose"/> by any.
/// </summary>
internal abstract class ReadSource : IDisposable
{
    /// <summary>The file that is read now.</summary>
    public abstract OpenFile File { get; }

    /// <summary>What the source really does, which is not always what was asked for.</summary>
    public abstract ReadStrategy Strategy { get; }

    /// <summary>Why it does that, in words for a person.</summary>
    public abstract string Reason { get; }

    protected abstract BlockAllocator Allocator { get; }

    /// <summary>Adds the bytes that follow the window, without ever waiting for a device.</summary>
    /// <exception cref="FilePipeException">Reading failed. The window is as it was; the next call tries again.</exception>
    public abstract FillResult TryFill(ref Window window);

    /// <summary>The same, waiting as long as it takes. Never answers <see cref="FillResult.Pending"/>.</summary>
    /// <exception cref="FilePipeException">Reading failed. The window is as it was; the next call tries again.</exception>
    public virtual FillResult Fill(ref Window window)
    {
        using var ready = new BlockingCallback();
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

    /// <summary>
    /// Asks to be told when <see cref="TryFill"/> will not answer <see cref="FillResult.Pending"/>.
    /// </summary>
    /// <returns>False if that is so already; the callback is not kept then.</returns>
    public abstract bool Arm(IReadyCallback callback);

    /// <summary>Forgets the callback of <see cref="Arm"/>. It may be running.</summary>
    public abstract void Disarm();

    /// <summary>Drops what was read ahead; the next fill is for this place in the file.</summary>
    public abstract void Seek(long offset);

    /// <summary>Takes back the window's block. The window is empty afterwards.</summary>
    public void ReleaseWindow(ref Window window)
    {
        if (window.Block is { } block)
        {
            // Where the reader is does not change with what it holds.
            window.EndOffset = window.StartOffset;
            window.Block = null;
            window.Start = 0;
            window.End = 0;
            Recycle(block);
        }
    }

    public abstract void Dispose();

    /// <summary>Takes a block that nobody uses any more.</summary>
    protected abstract void Recycle(Block block);

    /// <summary>
    /// Appends the body of <paramref name="next"/> to the window: by moving the unconsumed bytes to its headroom, or,
    /// when they are longer than that, by gathering everything in a larger block, which doubles.
    /// </summary>
    protected unsafe void Append(ref Window window, Block next)
    {
        Block? old = window.Block;
        int carried = window.Length;
        int added = next.Filled - next.Skipped;
        byte* bytes = next.Body + next.Skipped;
        next.State = BlockState.Idle;
        if (carried <= next.Headroom + next.Skipped)
        {
            if (carried > 0)
            {
                Copy(old!.Pointer + window.Start, bytes - carried, carried);
            }

            window.Block = next;
            window.Start = next.Headroom + next.Skipped - carried;
            window.End = next.Headroom + next.Filled;
            window.EndOffset += added;
            if (old is not null)
            {
                Recycle(old);
            }

            return;
        }

        int needed = checked(carried + added);
        if (old!.Headroom != 0 || old.Capacity < needed)
        {
            // Doubling: a byte that is already here is copied once per doubling and not again.
            Block large = Allocator.RentLarge(Grown(needed));
            Copy(old.Pointer + window.Start, large.Pointer, carried);
            window.Block = large;
            window.Start = 0;
            window.End = carried;
            Recycle(old);
        }
        else if (old.Capacity - window.End < added)
        {
            // Room enough once the consumed bytes are gone from its front.
            new Span<byte>(old.Pointer + window.Start, carried).CopyTo(new Span<byte>(old.Pointer, carried));
            old.RenewSegment();
            window.Start = 0;
            window.End = carried;
        }

        Copy(bytes, window.Block!.Pointer + window.End, added);
        window.Extend(added);
        Recycle(next);
    }

    /// <summary>
    /// Twice what is needed, so that a byte moves at most once per doubling, also when the front is given up in between.
    /// </summary>
    private static int Grown(int needed) => (int)Math.Min(Array.MaxLength, 2L * needed);

    private static unsafe void Copy(byte* from, byte* to, int bytes) =>
        new Span<byte>(from, bytes).CopyTo(new Span<byte>(to, bytes));
}
