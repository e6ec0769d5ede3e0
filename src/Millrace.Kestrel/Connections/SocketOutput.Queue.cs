using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

// The queue of segments. Everything here is called under the lock.
internal sealed partial class SocketOutput
{
    private Block AppendBlock(int sizeHint)
    {
        CommitTail();
        if (_closed && !_sending)
        {
            // Bytes that are written now are never sent, so one block is enough.
            ReleaseQueue(all: true);
        }

        // A writer that fills block after block before it flushes gets larger ones.
        long filled = Math.Min(_unflushed, MillraceSocketOptions.LargestBlockBytes);
        Block block = _pool.RentBlock((int)Math.Max(Math.Max(sizeHint, filled), MillraceSocketOptions.MinBlockBytes));
        OutputSegment segment = _segments.Append();
        segment.Hold(block);
        _position = 0;
        return block;
    }

    private void AppendFile(SafeFileHandle file, long offset, int count, long ahead)
    {
        if (_closed || _completed || count == 0)
        {
            return;
        }

        _unflushed += count;
        int sent = (int)Math.Min(_sentAhead, count);
        _sentAhead -= sent;
        count -= sent;
        if (_segments.Tail is { Ahead: > 0 } tail)
        {
            // A canceled flush: these bytes may be on their way.
            tail.End += count;
            tail.Ahead = ahead;
            _unsent += count;
        }
        else if (count > 0)
        {
            CommitTail();
            _segments.Append().Hold(file, offset + sent, count, ahead);
            _position = 0;
            _segments.Files++;
            _unsent += count;
        }
    }

    /// <summary>Lets the bytes written so far be sent.</summary>
    private void CommitTail()
    {
        if (_segments.Tail?.Block is not null)
        {
            _unsent += _position - _segments.Tail.End;
            _segments.Tail.End = _position;
        }
    }

    /// <summary>Removes bytes that were sent.</summary>
    private void RemoveSent(long count)
    {
        while (_segments.Head is { } head)
        {
            long part = Math.Min(count, head.End + head.Ahead - head.Start);
            _unsent -= Math.Min(part, head.End - head.Start);
            head.Start += part;
            count -= part;
            _sentAhead += Math.Max(head.Start - head.End, 0);
            if (head.Start < head.End || (head == _segments.Tail && head.Block is not null && (_memoryIsOut || _position > head.End)))
            {
                return;
            }

            RemoveHead();
        }
    }

    private void RemoveHead()
    {
        _segments.RemoveHead();
        if (_segments.Head is null)
        {
            _position = 0;
        }
    }

    /// <summary>Drops the queue; unless it is all of it, without the block that the writer may be writing to at this moment.</summary>
    private void ReleaseQueue(bool all = false)
    {
        while (_segments.Head is { } head && (all || head != _segments.Tail || head.Block is null || !_memoryIsOut))
        {
            RemoveHead();
        }

        _hasLost |= _unsent > 0;
        _unsent = 0;
    }
}
