using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>
/// Kestrel's response body, except that files are sent by the system: a write of memory that stands for them goes through Kestrel, which
/// counts, limits and times it as any other. Where that cannot be, they are copied 128 KiB at a time, eight times what Kestrel copies.
/// </summary>
internal sealed class FileResponseBody(SocketConnection connection) : IHttpResponseBodyFeature, IFileRangeFeature
{
    private HttpContext _context = null!;
    private IHttpResponseBodyFeature _body = null!;
    private bool _canSend;

    /// <summary>Bytes of files sent so far; null when there may be others, since the stream or the writer was requested.</summary>
    private long? _sent;

    public Stream Stream
    {
        get
        {
            _sent = null;
            return _body.Stream;
        }
    }

    public PipeWriter Writer
    {
        get
        {
            _sent = null;
            return _body.Writer;
        }
    }

    public bool CanSend =>
        _canSend
        && _context.Response is { ContentLength: not null, StatusCode: >= 200 and not (204 or 205 or 304) } response
        && response.Headers.TransferEncoding.Count == 0
        && !HttpMethods.IsHead(_context.Request.Method)
        && !HttpMethods.IsConnect(_context.Request.Method);

    public void Begin(HttpContext context, IHttpResponseBodyFeature body, bool canSend)
    {
        _context = context;
        _body = body;
        _canSend = canSend;
        _sent = 0;
    }

    public void DisableBuffering() => _body.DisableBuffering();

    public Task StartAsync(CancellationToken cancellationToken = default) => _body.StartAsync(cancellationToken);

    public Task CompleteAsync() => _body.CompleteAsync();

    public async Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        long length = RandomAccess.GetLength(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, length);
        if (count is { } bytes)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(bytes, nameof(count));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, length - offset, nameof(count));
        }

        await SendFileAsync(file, offset, count ?? (length - offset), cancellationToken);
    }

    public async Task SendFileAsync(SafeFileHandle file, long offset, long count, CancellationToken cancellationToken = default)
    {
        // The headers are written to memory first; what follows stands for the file alone. Copied bytes would go there, too, and again
        // from there into the connection's memory.
        await _body.StartAsync(cancellationToken);
        if (!CanSend)
        {
            await FileRangeExtensions.CopyAsync(_context, Writer, file, offset, count, cancellationToken);
            return;
        }

        if (connection.Output.IsFlushing)
        {
            // Kestrel copies bytes written during a flush, and these are placeholders.
            await _body.Writer.FlushAsync(cancellationToken);
        }

        bool ended = false;
        try
        {
            await WriteFileAsync(file, offset, count, cancellationToken);
            ended = true;
        }
        finally
        {
            if (connection.Output.EndFile() && !ended)
            {
                connection.Abort(new ConnectionAbortedException("A file was not sent to its end, and more of it was sent than the response has."));
            }
        }
    }

    private async Task WriteFileAsync(SafeFileHandle file, long offset, long count, CancellationToken cancellationToken)
    {
        for (long end = offset + count; offset < end;)
        {
            // Kestrel throws when a response is longer than declared, and then nothing more may have been sent.
            long certain = Math.Min(end - offset, _context.Response.ContentLength!.Value - _sent ?? 0);
            int piece = connection.Output.Lend(file, offset, end - offset, certain);
            FlushResult flushed = default;
            bool written;
            try
            {
                if (piece > 0)
                {
                    flushed = await _body.Writer.WriteAsync(SocketOutput.StandIn(piece), cancellationToken);
                }
            }
            finally
            {
                written = connection.Output.EndLending();
            }

            if (connection.Output.Error is { } error)
            {
                // A client that is gone is not the application's fault; a file that is too short is.
                if (error is IOException)
                {
                    throw new IOException(error.Message, error);
                }

                return;
            }

            if (piece == 0 || flushed.IsCompleted)
            {
                return;
            }

            if (!written)
            {
                var abort = new ConnectionAbortedException("The response was written to while a file was being sent.");
                connection.Abort(abort);
                throw new InvalidOperationException(abort.Message);
            }

            offset += piece;
            _sent += piece;
        }
    }
}
