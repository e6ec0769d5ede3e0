using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Kestrel;

internal sealed partial class SocketConnection
{
    /// <summary>How much smaller or larger the next block is.</summary>
    private const int Growth = 4;

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

        // On another thread, because callbacks of the application run in it. Its end is awaited so that nobody disposes it meanwhile.
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
        while (true)
        {
            await WaitForDataAsync();

            // The rest of a small block will do for the next request.
            Memory<byte> memory = input.GetMemory(size == MillraceSocketOptions.MinBlockBytes ? size / 2 : size);
            int received = await _socket.ReceiveAsync(memory);
            if (received == 0)
            {
                return;
            }

            input.Advance(received);
            _output.BeginExchange();
            if (received == memory.Length)
            {
                size = Math.Min(size * Growth, _options.MaxReadBytes);
            }
            else if (received < memory.Length / 2)
            {
                size = Math.Max(size / Growth, MillraceSocketOptions.MinBlockBytes);
            }

            FlushResult flushed = await input.FlushAsync();
            if (flushed.IsCompleted || flushed.IsCanceled)
            {
                return;
            }
        }
    }

    /// <summary>Waits with an empty read, so that a connection that waits holds no block.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WaitForDataAsync()
    {
        while (true)
        {
            // One that had to wait may have been woken for data that was received since; one that ends at once has looked.
            ValueTask<int> read = _socket.ReceiveAsync(Memory<byte>.Empty);
            bool isCertain = read.IsCompleted || OperatingSystem.IsWindows();
            await read;
            if (isCertain)
            {
                return;
            }
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
