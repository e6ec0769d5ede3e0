using System.Globalization;
using System.Net;
using System.Net.Http.Headers;

namespace Millrace.Transfer;

/// <summary>Uploads that can be continued, by the IETF draft "Resumable Uploads for HTTP".</summary>
internal partial class HttpProtocolClient
{
    /// <summary>What draft-ietf-httpbis-resumable-upload-05 calls itself, section "Interop version".</summary>
    private const string InteropVersion = "6";

    private static readonly MediaTypeHeaderValue PartialUpload = new("application/partial-upload");

    public override async Task<Uri> StartAsync(
        TransferName name, long? length, WritePrecondition precondition, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        Uri url = UrlOf(name);
        using HttpResponseMessage response = await SendAsync(HttpMethod.Put, url, call, watch, request =>
        {
            AddPrecondition(request, precondition);
            AddUpload(request, complete: false, length);
            request.Content = new ByteArrayContent([]);
        }).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return LocationOf(response, url, call);
    }

    public override async Task<UploadPosition?> PositionAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Continuing the upload of", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Head, upload, call, watch, request => Add(request, TransferHeaders.UploadDraftInteropVersion, InteropVersion))
            .ConfigureAwait(false);
        if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Gone)
        {
            return null;
        }

        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return new UploadPosition(
            Fields.Number(response, TransferHeaders.UploadOffset)
                ?? throw Failures.Protocol(call, "the response has no upload offset"),
            Fields.Flag(Fields.Text(response, TransferHeaders.UploadComplete)) ?? false);
    }

    public override Task<UploadAnswer> AppendAsync(
        TransferName name, Uri upload, Outgoing content, long? length, bool isLast, Sha256Digest? partDigest, IdleWatch watch) =>
        PatchAsync(name, upload, content, isLast, length, digest: null, watch);

    public override Task<UploadAnswer> FinishAsync(
        TransferName name, Uri upload, long length, Sha256Digest? digest, IdleWatch watch) =>
        PatchAsync(name, upload, content: null, complete: true, length, digest, watch, length);

    public override async Task AbortAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Delete, upload, Call("Giving up the upload of", name), watch, AddVersion).ConfigureAwait(false);
    }

    /// <summary>What every request about an upload has.</summary>
    protected virtual void AddVersion(HttpRequestMessage request) =>
        Add(request, TransferHeaders.UploadDraftInteropVersion, InteropVersion);

    protected static Uri LocationOf(HttpResponseMessage response, Uri url, ProtocolCall call) =>
        response.Headers.Location is { } location
            ? new Uri(url, location)
            : throw Failures.Protocol(call, $"the answer {(int)response.StatusCode} does not say where the upload is continued");

    protected static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private async Task<UploadAnswer> PatchAsync(
        TransferName name, Uri upload, Outgoing? content, bool complete, long? length, Sha256Digest? digest, IdleWatch watch,
        long offset = 0)
    {
        ProtocolCall call = Call("Uploading", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch,
            upload,
            call,
            watch,
            request =>
            {
                request.Content ??= new ByteArrayContent([]);
                request.Content.Headers.ContentType = PartialUpload;
                AddUpload(request, complete, length);
                Add(request, TransferHeaders.UploadOffset, Text(content?.Offset ?? offset));
                if (digest is { } sha256)
                {
                    Add(request, TransferHeaders.ReprDigest, DigestField.Format(sha256));
                }
            },
            content).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        // The draft lets the answer to the last part be the one to the whole, which need not repeat what it says of uploads.
        bool published = Fields.Flag(Fields.Text(response, TransferHeaders.UploadComplete)) ?? complete;
        return new UploadAnswer(
            Fields.Number(response, TransferHeaders.UploadOffset), published, Fields.Tag(response), Fields.Sha256(response));
    }

    private void AddUpload(HttpRequestMessage request, bool complete, long? length)
    {
        AddVersion(request);
        Add(request, TransferHeaders.UploadComplete, complete ? "?1" : "?0");
        if (length is { } bytes)
        {
            Add(request, TransferHeaders.UploadLength, Text(bytes));
        }
    }
}
