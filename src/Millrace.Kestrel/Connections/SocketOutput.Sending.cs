using System.IO.Pipelines;
using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

// Sending. The caller has set _sending.
internal sealed unsafe partial class SocketOutput
{
    /// <summary>Vectors of one gathered write.</summary>
    private const int MaxVectors = 32;

    /// <summary>Bytes that are sent at once through the framework's queue, where Linux's calls cannot be used.</summary>
    private const int QueuedBytes = MillraceSocketOptions.LargestBlockBytes;

    /// <summary>A receiver for which a short wait was in vain so many times is not waited for by a thread again, in the same file.</summary>
    private const int MaxVainWaits = 4;

    /// <summary>Bytes of a file that are many packets.</summary>
    private const int WorthCorking = 128 * 1024;

    private QueuedSend? _queued;
    private bool _isCorked;
    private int _vainWaits;

    /// <param name="mayBlock">False to leave files, for which a thread may have to wait, and the code that waits for a flush to another thread.</param>
    private void Send(bool mayBlock)
    {
        if (SendSoon(mayBlock))
        {
            SendQueued(mayBlock);
        }
    }

    /// <summary>
    /// Sends as much as the socket accepts, and waits a moment when it is full of a file: the queue's hops between threads cost
    /// processor time (docs/measuring.md).
    /// </summary>
    /// <returns>Whether there is more to send, for which the socket has no room.</returns>
    private bool SendSoon(bool mayBlock)
    {
        while (SendNow(mayBlock))
        {
            if (!HasRoomSoon())
            {
                return true;
            }
        }

        return false;
    }

    private bool HasRoomSoon()
    {
        lock (_lock)
        {
            if (_events is null || _vainWaits == MaxVainWaits || _segments.Head is not { File: not null, IsCopied: false })
            {
                return false;
            }
        }

        bool? hasRoom = ShortWait.ForRoom(_socket);
        _vainWaits += hasRoom is false ? 1 : 0;
        return hasRoom is true;
    }

    /// <summary>Sends as much as the socket accepts.</summary>
    /// <returns>Whether there is more to send.</returns>
    private bool SendNow(bool mayBlock)
    {
        SocketSend.Vector* vectors = stackalloc SocketSend.Vector[MaxVectors];
        while (true)
        {
            SafeFileHandle? file;
            long offset = 0, requested = 0;
            int count = 0;
            bool more = false;
            lock (_lock)
            {
                RemoveSent(0);
                if (_closed || _unsent == 0 || IsDelayed)
                {
                    file = null;
                }
                else if (_events is null || _segments.Head!.IsCopied)
                {
                    return true;
                }
                else if ((file = _segments.Head.File) is not null)
                {
                    if (!mayBlock)
                    {
                        // This one still sends.
                        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                        return false;
                    }

                    (offset, requested) = (_segments.Head.Start, _segments.Head.End + _segments.Head.Ahead - _segments.Head.Start);
                }
                else
                {
                    OutputSegment? segment = _segments.Head;
                    for (; segment?.Block is { } block && count < MaxVectors; segment = segment.Next)
                    {
                        long bytes = segment.End - segment.Start;
                        vectors[count++] = new() { Start = block.Address + segment.Start, Bytes = (nuint)bytes };
                        requested += bytes;
                    }

                    more = segment?.File is not null;
                }
            }

            if (requested == 0)
            {
                Cork(false);
                if (TryEnd(mayBlock))
                {
                    return false;
                }

                continue;
            }

            long sent;
            try
            {
                if (requested >= WorthCorking && file is not null)
                {
                    Cork(true);
                }

                sent = file is null
                    ? SocketSend.Send(_socket.SafeHandle, vectors, count, more)
                    : SocketSend.SendFile(_socket.SafeHandle, file, offset, requested);
            }
            catch (ObjectDisposedException exception)
            {
                // Aborted by another thread.
                Abort(exception);
                continue;
            }

            if (sent == -Errno.Again)
            {
                return true;
            }

            if (file is not null && sent is -Errno.InvalidArgument or -Errno.NoSystemCall)
            {
                lock (_lock)
                {
                    if (_segments.Head is not null)
                    {
                        _segments.Head.IsCopied = true;
                    }
                }

                continue;
            }

            if (sent < 0)
            {
                Abort(new SocketException((int)-sent));
            }
            else if (file is not null && sent == 0)
            {
                Abort(FileIsShorter(offset, offset + requested));
            }
            else
            {
                lock (_lock)
                {
                    RemoveSent(sent);
                }
            }
        }
    }

    /// <summary>
    /// Without this, sendfile(2) passes 64 KiB at a time to TCP, which sends a full packet of each and a small one of the rest: over loopback, each wakes
    /// the receiver (docs/measuring.md).
    /// </summary>
    private void Cork(bool begins)
    {
        if (_isCorked != begins)
        {
            _isCorked = begins;
            try
            {
                SocketSend.Cork(_socket.SafeHandle, begins);
            }
            catch (ObjectDisposedException)
            {
                // Aborted by another thread, which sending finds out.
            }
        }
    }

    /// <returns>False when there is more to send after all.</returns>
    private bool TryEnd(bool mayBlock)
    {
        bool ends, hasLost;
        lock (_lock)
        {
            if (!_closed && _unsent > 0 && !IsDelayed)
            {
                return false;
            }

            _sending = false;
            if (_completed)
            {
                ReleaseQueue(all: true);
            }
            else if (_closed)
            {
                ReleaseQueue();
            }

            hasLost = _hasLost;
            ends = _completed && !_hasEnded;
            _hasEnded |= ends;
        }

        if (ends)
        {
            _ended(null);
        }

        // Last, because the caller goes on here.
        CompleteFlush(new FlushResult(isCanceled: false, isCompleted: hasLost), inline: mayBlock && Thread.CurrentThread.IsThreadPoolThread);
        return true;
    }

    /// <summary>There is room now.</summary>
    void IThreadPoolWorkItem.Execute() => Send(mayBlock: true);

    /// <summary>Sends whenever there is room, without a thread that waits for it, until nothing is left.</summary>
    private void SendQueued(bool mayBlock)
    {
        bool isLeft;
        do
        {
            bool half, isQueued;
            lock (_lock)
            {
                half = IsBelow(_pauseBytes / 2);
                isQueued = _events is null || _segments.Head is { IsCopied: true };
            }

            if (half)
            {
                CompleteFlush(default, inline: false);
            }

            if (isQueued ? PieceWaits() : RoomIsAwaited())
            {
                return;
            }

            isLeft = isQueued ? PieceEnded(_queued!, mayBlock) : SendSoon(mayBlock);
        }
        while (isLeft);
    }

    /// <returns>Whether this is called again when there is room, or the socket was closed.</returns>
    private bool RoomIsAwaited()
    {
        try
        {
            return _events!.WaitForRoom(this);
        }
        catch (IOException exception)
        {
            Abort(exception);
            return true;
        }
    }

    /// <summary>Sends a piece through the framework's queue.</summary>
    private bool PieceWaits()
    {
        _queued ??= new QueuedSend(this);
        try
        {
            return PreparePiece(_queued) && _socket.SendAsync(_queued);
        }
        catch (Exception exception) when (exception is ObjectDisposedException or IOException or UnauthorizedAccessException)
        {
            Abort(exception);
            return false;
        }
    }

    /// <returns>False when nothing can be sent any more.</returns>
    private bool PreparePiece(QueuedSend piece)
    {
        SafeFileHandle? file;
        long start, end;
        lock (_lock)
        {
            if (_closed)
            {
                return false;
            }

            // Not null: the queue is not empty, and this is the only one that takes from it.
            file = _segments.Head!.File;
            (start, end) = (_segments.Head.Start, Math.Min(_segments.Head.End, _segments.Head.Start + QueuedBytes));
            if (file is null)
            {
                piece.SetBuffer(_segments.Head.Block!.Memory[(int)start..(int)end]);
                return true;
            }
        }

        int bytes = (int)(end - start);
        piece.Copy = _pool.RentBlock(bytes);
        int read = RandomAccess.Read(file, piece.Copy.Memory.Span[..bytes], start);
        if (read == 0)
        {
            Abort(FileIsShorter(start, end));
            return false;
        }

        piece.SetBuffer(piece.Copy.Memory[..read]);
        return true;
    }

    /// <returns>Whether there is more to send, for which the socket has no room.</returns>
    private bool PieceEnded(QueuedSend piece, bool mayBlock)
    {
        bool sent = false;
        lock (_lock)
        {
            if (piece.Copy is { } copy)
            {
                copy.Dispose();
                piece.Copy = null;
            }

            if (!_closed && piece.SocketError == SocketError.Success)
            {
                RemoveSent(piece.BytesTransferred);
                sent = true;
            }
        }

        if (!sent)
        {
            Abort(new SocketException((int)piece.SocketError));
        }

        return SendSoon(mayBlock);
    }

    /// <summary>Gives back what waiting took; nothing is being sent any more.</summary>
    public void Dispose()
    {
        _queued?.Dispose();
        _delay?.Dispose();
    }

    /// <summary>One send through the socket's queue, reused.</summary>
    private sealed class QueuedSend(SocketOutput output) : SocketAsyncEventArgs(true), IThreadPoolWorkItem
    {
        /// <summary>Bytes of a file, to be given back.</summary>
        public Block? Copy { get; set; }

        protected override void OnCompleted(SocketAsyncEventArgs e)
        {
            if (Thread.CurrentThread.IsThreadPoolThread)
            {
                Execute();
            }
            else
            {
                // It may read a file, wait for room, and run the code that waits for a flush.
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            }
        }

        public void Execute()
        {
            if (output.PieceEnded(this, mayBlock: true))
            {
                output.SendQueued(mayBlock: true);
            }
        }
    }
}
