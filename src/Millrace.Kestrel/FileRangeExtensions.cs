using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>Sends ranges of open files.</summary>
public static class FileRangeExtensions
{
    /// <summary>
    /// Sends a range of an open file: by sendfile(2) where <see cref="IFileRangeFeature"/> can, by copying otherwise (TLS, HTTP/2,
    /// compressed and chunked responses, other transports).
    /// </summary>
    /// <param name="response">The response. Set its Content-Length first.</param>
    /// <param name="file">An open, readable, regular file. The caller keeps it.</param>
    /// <param name="offset">The first byte, from 0.</param>
    /// <param name="count">Bytes to send, 0 or more.</param>
    /// <param name="cancellationToken">Ends the connection while a range is being sent.</param>
    /// <returns>Completes when all bytes have been handed over, or when the client is gone.</returns>
    /// <exception cref="IOException">The file is shorter than the range, or cannot be read. The connection has been aborted.</exception>
    public static Task SendFileAsync(
        this HttpResponse response, SafeFileHandle file, long offset, long count, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(response);
        ArgumentNullException.ThrowIfNull(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        return response.HttpContext.Features.Get<IHttpResponseBodyFeature>() is IFileRangeFeature ranges
            ? ranges.SendFileAsync(file, offset, count, cancellationToken)
            : CopyAsync(response.HttpContext, response.BodyWriter, file, offset, count, cancellationToken);
    }

    /// <summary>Copies a range through the response's memory.</summary>
    internal static async Task CopyAsync(
        HttpContext context, PipeWriter writer, SafeFileHandle file, long offset, long count, CancellationToken cancellationToken)
    {
        // A response is only as long as declared, so it cannot simply end early.
        const int Piece = 128 * 1024;
        for (long end = offset + count; offset < end;)
        {
            Memory<byte> memory = writer.GetMemory((int)Math.Min(Piece, end - offset));
            int limit = (int)Math.Min(memory.Length, end - offset);

            // Asynchronously, the framework would read on another thread, which waits for a cold file as this one does.
            int read = RandomAccess.Read(file, memory.Span[..limit], offset);
            if (read == 0)
            {
                context.Abort();
                throw SocketOutput.FileIsShorter(offset, end);
            }

            writer.Advance(read);
            offset += read;
            FlushResult flushed = await writer.FlushAsync(cancellationToken);
            if (flushed.IsCompleted || flushed.IsCanceled)
            {
                return;
            }
        }
    }
}
