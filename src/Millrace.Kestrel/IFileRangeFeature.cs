using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>
/// Sends a range of an open file as part of a response. Where a response can do so, its <c>IHttpResponseBodyFeature</c> implements
/// this too; <see cref="FileRangeExtensions.SendFileAsync"/> looks there, and copies otherwise.
/// </summary>
public interface IFileRangeFeature
{
    /// <summary>
    /// Whether the system would send a range now, because the bytes go out as they are and have a place to go: HTTP/1.1 without TLS, with
    /// a Content-Length and a body. Otherwise ranges are copied.
    /// </summary>
    bool CanSend { get; }

    /// <summary>Sends a range of a file without copying it through the process, where the response permits.</summary>
    /// <param name="file">An open, readable, regular file. The caller keeps it and may dispose it when the call has ended.</param>
    /// <param name="offset">The first byte, from 0.</param>
    /// <param name="count">Bytes to send, 0 or more.</param>
    /// <param name="cancellationToken">Ends the connection while a range is being sent.</param>
    /// <returns>Completes when the system has all bytes, or when the client is gone.</returns>
    /// <exception cref="IOException">The file is shorter than the range. The connection has been aborted.</exception>
    Task SendFileAsync(SafeFileHandle file, long offset, long count, CancellationToken cancellationToken = default);
}
