using System.Net;

namespace Millrace.Transfer;

/// <content>Downloads from the object store to which the server sends its client.</content>
internal partial class HttpProtocolClient
{
    private bool IsRedirect(HttpResponseMessage response) => Setup.Options.FollowRedirects
        && response.StatusCode == HttpStatusCode.TemporaryRedirect
        && Fields.Text(response, "Preference-Applied") is "redirect";

    /// <summary>Sends the request to the address that the server gave, without the token.</summary>
    /// <exception cref="TransferException">It has another version of the file, or fails.</exception>
    private async Task<HttpResponseMessage> FollowAsync(
        HttpResponseMessage redirect, ProtocolCall call, IdleWatch watch, Action<HttpRequestMessage> prepare)
    {
        redirect.Dispose();
        if (redirect.Headers.Location is not { IsAbsoluteUri: true } address
            || (address.Scheme != Uri.UriSchemeHttps && address.Scheme != Uri.UriSchemeHttp))
        {
            throw Failures.Protocol(call, "the server redirects to something that is not a URL");
        }

        HttpResponseMessage response = await SendAnyAsync(
            HttpMethod.Get,
            address,
            call,
            watch,
            request =>
            {
                prepare(request);
                request.Version = HttpVersion.Version11;
                request.Headers.Authorization = null;
            },
            content: null).ConfigureAwait(false);
        if (response.IsSuccessStatusCode && Fields.Tag(response) != Fields.Tag(redirect))
        {
            response.Dispose();
            throw Failures.Make(
                TransferError.Changed, call, "the file was replaced at that moment. Download it again.", isTransient: true);
        }

        // How an object was once uploaded, which Ceph reports of what AWS' own SDK has put: the bytes are not encoded.
        _ = response.Content.Headers.ContentEncoding.Remove("aws-chunked");
        return response;
    }
}
