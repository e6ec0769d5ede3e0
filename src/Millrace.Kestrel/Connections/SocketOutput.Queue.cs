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
            ReleaseAll();
        }

        // A writer that fills block after block before it flushes gets larger ones.
        long filled = Math.Min(_unflushed, MillraceSocketOptions.LargestBlockBytes);
        Block block = _pool.RentBlock((int)Math.Max(Math.Max(sizeHint, filled), MillraceSocketOptions.MinBlockBytes));
        OutputSegment segment = Append();
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
        if (_tail is { Ahead: > 0 } tail)
        {
            // A canceled flush: these bytes may be on their way.
            tail.End += count;
            tail.Ahead = ahead;
            _unsent += count;
        }
        else if (count > 0)
        {
            CommitTail();
            Append().Hold(file, offset + sent, count, ahead);
            _position = 0;
            _files++;
            _unsent += count;
        }
    }

    private OutputSegment Append()
    {
        OutputSegment segment = _spare ?? new OutputSegment();
        if (_spare is not null)
        {
            _spare = segment.Next;
            segment.Next = null;
            _spares--;
        }

        if (_tail is null)
        {
            _head = segment;
        }
        else
        {
            _tail.Next = segment;
        }

        _tail = segment;
        return segment;
    }

    /// <summary>Lets the bytes written so far be sent.</summary>
    private void CommitTail()
    {
        if (_tail?.Block is not null)
        {
            _unsent += _position - _tail.End;
            _tail.End = _position;
        }
    }

    /// <summary>Removes bytes that were sent.</summary>
    private void RemoveSent(long count)
    {
        while (_head is { } head)
        {
            long part = Math.Min(count, head.End + head.Ahead - head.Start);
            _unsent -= Math.Min(part, head.End - head.Start);
            head.Start += part;
            count -= part;
            _sentAhead += Math.Max(head.Start - head.End, 0);
            if (head.Start < head.End || (head == _tail && head.Block is not null && (_memoryIsOut || _position > head.End)))
            {
                return;
            }

            RemoveHead(head);
        }
    }

    private void RemoveHead(OutputSegment head)
    {
        _files -= head.File is null ? 0 : 1;
        _head = head.Next;
        if (_head is null)
        {
            _tail = null;
            _position = 0;
        }

        head.Release();
        if (_spares < KeptSegments)
        {
            head.Next = _spare;
            _spare = head;
            _spares++;
        }
    }

    /// <summary>Drops everything but the block that the writer may be writing to at this moment.</summary>
    private void ReleaseQueue()
    {
        while (_head is { } head && (head != _tail || head.Block is null || !_memoryIsOut))
        {
            RemoveHead(head);
        }

        _unsent = 0;
    }

    private void ReleaseAll()
    {
        while (_head is { } head)
        {
            RemoveHead(head);
        }

        _unsent = 0;
    }
}
