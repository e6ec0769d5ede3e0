using System.Buffers;
using System.Text;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>
/// <c>104 Upload Resumption Supported</c>: sends the URL for continuing an upload before its bytes have arrived, so that a
/// connection that dies in the first request costs nothing.
/// </summary>
/// <remarks>
/// The framework has no call for interim responses. Under HTTP/1.1 they are lines on the connection before those of the
/// answer, and nothing else writes there as long as the body has not been asked for (which may send 100 Continue) and the
/// answer has not begun: earlier output of the connection was flushed before this request was read. Under HTTP/2 the
/// connection belongs to all its streams, and nothing is sent.
/// </remarks>
internal static class InterimResponse
{
    /// <summary>Tells it, if that can be done here and the client asked for a draft that is spoken.</summary>
    /// <param name="context">The request; neither its body may have been read, nor its answer begun.</param>
    /// <param name="location">Where the upload can be continued.</param>
    /// <param name="limit">The value of <c>Upload-Limit</c>.</param>
    /// <returns>Whether the response was sent.</returns>
    public static async ValueTask<bool> TrySendAsync(HttpContext context, string location, string limit)
    {
        if (!HttpProtocol.IsHttp11(context.Request.Protocol)
            || context.Response.HasStarted
            || !DraftRequest.TryReadVersion(context.Request, out long version)
            || !DraftRequest.IsSupported(version)
            || context.Features.Get<IConnectionTransportFeature>() is not { Transport.Output: { } output })
        {
            return false;
        }

        Write(
            output,
            $"HTTP/1.1 104 Upload Resumption Supported\r\nLocation: {location}\r\n"
            + $"{TransferHeaders.UploadDraftInteropVersion}: {version}\r\n{UploadHeaders.UploadLimit}: {limit}\r\n\r\n");
        await output.FlushAsync(context.RequestAborted);
        return true;
    }

    private static void Write(PipeWriter output, string text) => Encoding.ASCII.GetBytes(text, output);
}
