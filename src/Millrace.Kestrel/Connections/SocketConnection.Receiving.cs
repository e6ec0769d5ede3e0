using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Kestrel;

internal sealed partial class SocketConnection
{
    /// <summary>How much smaller or larger the next block is.</summary>
    private const int Growth = 4;

    /// <summary>What fits a request without a body, usually.</summary>
    private const int FirstBytes = MillraceSocketOptions.MinBlockBytes / 2;

    /// <remarks>300 connections that sent at once took 30 MB more with larger blocks.</remarks>
    private const int Http2ReadBytes = 64 * 1024;

    private async Task ReceiveAsync()
    {
        Exception? error = null;
        try
        {
            await ReceiveUntilEndAsync();
        }
        catch (SocketException exception) when (IsReset(exception.SocketErrorCode))
        {
            error = new ConnectionResetException(exception.Message, exception);
            _activity?.SetTag("error.type", error.GetType().FullName);
            if (_closeReason is null)
            {
                LogReset(_logger, ConnectionId, exception.Message);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Closed from this side, usually: the reason is known then.
            error = exception;
        }
        catch (Exception exception)
        {
            error = exception;
            LogReceiveError(_logger, exception, ConnectionId);
        }

        await _input.Writer.CompleteAsync(_closeReason ?? error);

        // On another thread, because callbacks of the application run in it. Its end is awaited so that it is not disposed meanwhile.
        await Task.Factory.StartNew(
            static connection => ((SocketConnection)connection!).TellThatClosed(),
            this,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            TaskScheduler.Default);
    }

    private async Task ReceiveUntilEndAsync()
    {
        PipeWriter input = _input.Writer;
        int size = MillraceSocketOptions.MinBlockBytes;
        bool isFull = false;
        while (true)
        {
            if (!isFull && _readiness.Begin())
            {
                await _readiness.Ended;
            }
            else
            {
                ReceiveScheduler.QueueScheduled();
                if (!Thread.CurrentThread.IsThreadPoolThread)
                {
                    // More than a request: other connections wait for this thread.
                    await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                }
            }

            int received = Receive(input, ref size, out isFull);
            if (received == 0)
            {
                return;
            }

            if (received > 0)
            {
                ValueTask<FlushResult> flush = input.FlushAsync();
                if (_isHttp2)
                {
                    ReceiveScheduler.QueueScheduled();
                }

                FlushResult flushed = await flush;
                if (flushed.IsCompleted || flushed.IsCanceled)
                {
                    return;
                }
            }
        }
    }

    /// <summary>Receives available bytes, up to a block of the given size, and returns the size of the next one.</summary>
    /// <returns>Bytes received, 0 at the end, and -1 when there is nothing to receive yet.</returns>
    private int Receive(PipeWriter input, ref int size, out bool isFull)
    {
        // On the stack, because often there is no more, and sometimes nothing: a connection that waits must not hold a block.
        Span<byte> first = stackalloc byte[FirstBytes];
        isFull = false;
        int received = _socket.Receive(first, SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock)
        {
            return -1;
        }

        ThrowIfFailed(error);
        if (received < first.Length)
        {
            input.Write(first[..received]);
        }
        else
        {
            Span<byte> block = input.GetSpan(size);
            first.CopyTo(block);
            int rest = _socket.Receive(block[received..], SocketFlags.None, out error);
            if (error == SocketError.WouldBlock)
            {
                rest = 0;
            }
            else
            {
                ThrowIfFailed(error);
            }

            received += rest;
            isFull = received == block.Length;
            input.Advance(received);
        }

        if (isFull)
        {
            size = Math.Min(size * Growth, Volatile.Read(ref _maxReadBytes));
        }
        else if (received < size / 2)
        {
            size = Math.Max(size / Growth, MillraceSocketOptions.MinBlockBytes);
        }

        return received;
    }

    private static void ThrowIfFailed(SocketError error)
    {
        if (error != SocketError.Success)
        {
            throw new SocketException((int)error);
        }
    }

    private void TellThatClosed()
    {
        try
        {
            _closed.Cancel();
        }
        catch (AggregateException exception)
        {
            LogReceiveError(_logger, exception, ConnectionId);
        }
    }

    private static bool IsReset(SocketError error) => error is SocketError.ConnectionReset or SocketError.Shutdown
        || (error == SocketError.ConnectionAborted && OperatingSystem.IsWindows())
        || (error == SocketError.ProtocolType && OperatingSystem.IsMacOS());
}
