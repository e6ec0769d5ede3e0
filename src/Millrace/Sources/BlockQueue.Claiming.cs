using Millrace.Buffers;

namespace Millrace.Sources;

/// <content>Which part of the file is read next, and into which block.</content>
internal sealed partial class BlockQueue
{
    // Whether the block before the queue is read into the reader's own memory.
    private bool _readingInPlace;

    // Whether a block has left the queue and the one that it replaces in the window is not free yet.
    private bool _delivering;

    /// <summary>Whether there is room for several blocks, or none is being read: waking a reader for each costs too much.</summary>
    public bool NeedsReading
    {
        get
        {
            lock (_gate)
            {
                return CanClaim && (_reading == 0 || _queue.Count <= Depth / 2);
            }
        }
    }

    /// <summary>
    /// Up to the known size of the file several blocks may be read at once. Beyond it, and where the size is not known, one
    /// read at a time determines where the next one begins. A block outside the queue counts as one of it: the rest of a read
    /// in place becomes one, and a delivery holds two.
    /// </summary>
    private bool CanClaim =>
        !_disposed && !IsStopped && _queue.Count + (_readingInPlace || _delivering ? 1 : 0) < Depth && _reading < Depth
        && (_claimOffset < _file.KnownEnd || (_queue.Count == 0 && !_readingInPlace));

    /// <summary>
    /// Takes a block for a worker to read: one that has to wait for the device, or else the next of the file.
    /// </summary>
    /// <returns>Null when there is nothing to do: the worker ends, and <see cref="StartWorker"/> starts it again.</returns>
    public Block? TakeWork(ReadAhead ahead)
    {
        IReadyCallback? callback = null;
        Block? block = null;
        lock (_gate)
        {
            try
            {
                block = FindWaiting();
                if (block is null && MayClaim(ahead))
                {
                    block = ClaimAndEnqueue();
                }
                else if (block is not null)
                {
                    block.State = BlockState.Reading;
                    _reading++;
                }
            }
            catch (Exception exception)
            {
                // Thrown by a foreign pool. On a pool thread it would end the process.
                callback = Fail(exception);
            }

            if (block is null)
            {
                _workers--;
            }
            else if (_workers < MaxWorkers && (FindWaiting() is not null || MayClaim(ahead)))
            {
                AddWorker();
            }
        }

        callback?.OnReady();
        return block;
    }

    /// <summary>Claims the next block of the file, in the queue. Null when it is full or the file ends.</summary>
    public Block? TryClaim()
    {
        lock (_gate)
        {
            return CanClaim ? ClaimAndEnqueue() : null;
        }
    }

    /// <summary>Ends a <see cref="ReadStep.ReadInPlace"/>; a thread that may wait reads the missing bytes.</summary>
    public void FinishInPlace(Block block, bool complete, bool ahead = false)
    {
        lock (_gate)
        {
            _readingInPlace = false;
            if (complete)
            {
                Leave(block);
            }
            else
            {
                Reclaim(block.EndOffset, block.Wanted - block.Filled);
            }

            if (ahead)
            {
                AddWorkerIfAtMost(Depth);
            }
        }
    }

    private bool MayClaim(ReadAhead ahead) =>
        ahead != ReadAhead.Never && (ahead == ReadAhead.Always || _callback is not null) && CanClaim;

    private Block? FindWaiting()
    {
        for (int i = 0; i < _queue.Count; i++)
        {
            if (_queue.Peek(i).State == BlockState.Waiting)
            {
                return _queue.Peek(i);
            }
        }

        return null;
    }

    private Block ClaimAndEnqueue()
    {
        Block block = Claim(null);
        _queue.Enqueue(block);
        _reading++;
        return block;
    }

    private Block Claim(Block? block)
    {
        block ??= TakeFree();
        long offset = _claimOffset - (_claimOffset % OffsetAlignment);
        int skipped = (int)(_claimOffset - offset);
        Align(block, offset);

        // After an odd beginning, back to whole pages: the kernel copies those faster.
        // To whole blocks where the cache is left alone: two threads in one folio keep each other from taking it out.
        int step = _file.KeepsCached ? BlockPool.Alignment : BlockBytes;
        int bytes = Math.Min(BlockBytes - (int)(offset % step), block.BodyCapacity);
        bytes -= (int)((offset + bytes) % BlockPool.Alignment);
        long end = _claimOffset < _file.KnownEnd ? _file.KnownEnd : _file.Limit;
        bytes = (int)Math.Min(bytes, end - offset);
        block.Prepare(offset, bytes, skipped);
        _claimOffset = offset + bytes;
        return block;
    }

    // Not for a device, which asks for its own alignment of both.
    private void Align(Block block, long offset)
    {
        if (OffsetAlignment == 1)
        {
            block.Align(offset, Ahead);
        }
    }

    /// <summary>Gives back the end of the last claim, whose read stopped early at an offset.</summary>
    private void Reclaim(long offset, int bytes)
    {
        if (_queue.Count == 0)
        {
            _claimOffset = offset;
            return;
        }

        Block rest;
        try
        {
            rest = TakeFree();
        }
        catch (Exception)
        {
            // No block from the caller's pool: drop the blocks read further ahead. They are read again in their turn, where the
            // pool's failure is reported if it lasts.
            Drop();
            _claimOffset = offset;
            return;
        }

        Align(rest, offset);
        rest.Prepare(offset, bytes, skipped: 0);
        rest.State = BlockState.Waiting;
        _queue.EnqueueFirst(rest);
    }

    /// <summary>Takes over a block's facts about the file as it leaves for the window: its end, an error, where to go on.</summary>
    private void Leave(Block block)
    {
        _ended = block.Last;
        _error = block.Error;
        if (IsStopped || (block.Filled < block.Wanted && _queue.Count == 0))
        {
            Drop();
            _claimOffset = block.EndOffset;
        }
    }

    private Block TakeFree() => _free.Count > 0 ? _free.TakeLast() : _allocator.Rent();
}
