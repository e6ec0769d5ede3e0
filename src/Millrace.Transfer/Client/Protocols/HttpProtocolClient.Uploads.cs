using System.Globalization;
using System.Net.Http.Headers;

namespace Millrace.Transfer;

/// <content>Uploads: with one PUT, or resumable by the IETF draft "Resumable Uploads for HTTP".</content>
internal partial class HttpProtocolClient
{
    /// <summary>What draft-ietf-httpbis-resumable-upload-12 calls itself, section "Draft Version Identification".</summary>
    private const string InteropVersion = "9";

    private static readonly MediaTypeHeaderValue PartialUpload = new("application/partial-upload");

    public override bool SendsWhole(bool isSmall) => isSmall || Setup.Uploads is null;

    public override async Task<UploadAnswer> PutAsync(Upload upload, Sha256Digest? digest, IdleWatch watch)
    {
        Outgoing content = upload.SendWhole(watch);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Put, ContentUrlOf(upload.Name), Call("Uploading", upload.Name), watch, request =>
            {
                AddPrecondition(request, upload.Precondition);
                AddModified(request, upload);
                AddDigest(request, digest);
            },
            content).ConfigureAwait(false);
        return new UploadAnswer(content.Sent, IsComplete(response) ?? true, Fields.Tag(response), Fields.Sha256(response));
    }

    public override async Task<Uri?> StartAsync(Upload upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", upload.Name);
        Uri url = UrlOf(upload.Name);
        using HttpResponseMessage response = await SendAsync(HttpMethod.Put, url, call, watch, request =>
        {
            AddPrecondition(request, upload.Precondition);
            AddModified(request, upload);
            AddUpload(request, complete: false, upload.AnnouncedLength);
            AddDigest(request, upload.Delta?.Sha256);
            request.Content = new ByteArrayContent([]);
        }).ConfigureAwait(false);
        return LocationOf(response, url, call);
    }

    public override async Task<UploadAnswer?> PositionAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Continuing the upload of", name);
        using HttpResponseMessage? response = await SendOrNullAsync(HttpMethod.Head, upload, call, watch, AddVersion).ConfigureAwait(false);
        return response is null ? null : new UploadAnswer(OffsetOf(response, call), IsComplete(response) ?? false);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// One request brings all the rest, or as much as one may. HttpClient sends no trailers: a digest goes with an empty request after the last byte.
    /// </remarks>
    public override async Task<UploadAnswer> SendNextAsync(Upload upload, long offset, IdleWatch watch)
    {
        Outgoing content = upload.Send(offset, long.MaxValue, watch);
        bool isLast = !upload.Verifies && upload.Delta is null && content.End == upload.AnnouncedLength;
        return await PatchAsync(upload, offset, content, isLast, upload.AnnouncedLength, digest: null, watch).ConfigureAwait(false);
    }

    public override Task<UploadAnswer> FinishAsync(Upload upload, long length, Sha256Digest? digest, IdleWatch watch) =>
        PatchAsync(upload, length, content: null, isLast: true, length, digest, watch);

    public override async Task AbortAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        using HttpResponseMessage? response = await SendOrNullAsync(
            HttpMethod.Delete, upload, Call("Giving up the upload of", name), watch, AddVersion).ConfigureAwait(false);
    }

    /// <summary>What every request about an upload has.</summary>
    protected virtual void AddVersion(HttpRequestMessage request) =>
        Add(request, TransferHeaders.UploadDraftInteropVersion, InteropVersion);

    /// <summary>Tells that the body is a delta, and of which version.</summary>
    protected static void AddDelta(HttpRequestMessage request, DeltaUpload? delta)
    {
        if (delta is not null)
        {
            Add(request, TransferHeaders.UploadDeltaBase, delta.Tag?.ToString() ?? DeltaFormat.OfNothing);
        }
    }

    protected static Uri LocationOf(HttpResponseMessage response, Uri url, ProtocolCall call) =>
        response.Headers.Location is { } location
            ? ServerAddress.Resolve(url, location.OriginalString, "the place of the upload", call)
            : throw Failures.Protocol(call, $"the response {(int)response.StatusCode} has no URL for continuing the upload");

    protected static long OffsetOf(HttpResponseMessage response, ProtocolCall call) =>
        Fields.Number(response, TransferHeaders.UploadOffset) ?? throw Failures.Protocol(call, "the response has no upload offset");

    protected static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private async Task<UploadAnswer> PatchAsync(
        Upload upload, long offset, Outgoing? content, bool isLast, long? length, Sha256Digest? digest, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch, upload.Location!, Call("Uploading", upload.Name), watch, request =>
            {
                request.Content ??= new ByteArrayContent([]);
                request.Content.Headers.ContentType = PartialUpload;
                AddUpload(request, isLast, length);
                Add(request, TransferHeaders.UploadOffset, Text(offset));
                AddDelta(request, content is null ? null : upload.Delta);
                AddDigest(request, digest);
            },
            content).ConfigureAwait(false);

        // In the draft the response to the last part may be that to the whole, which need not repeat the upload's headers.
        return new UploadAnswer(
            Fields.Number(response, TransferHeaders.UploadOffset) ?? (offset + (content?.Sent ?? 0)),
            IsComplete(response) ?? isLast,
            Fields.Tag(response),
            Fields.Sha256(response));
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

    private static void AddModified(HttpRequestMessage request, Upload upload)
    {
        if (upload.Modified is { } time)
        {
            Add(request, TransferHeaders.Modified, time.ToString());
        }

        if (upload.IsExecutable is { } isExecutable)
        {
            Add(request, TransferHeaders.Executable, isExecutable ? "?1" : "?0");
        }
    }

    private static void AddDigest(HttpRequestMessage request, Sha256Digest? digest)
    {
        if (digest is { } sha256)
        {
            Add(request, TransferHeaders.ReprDigest, DigestField.Format(sha256));
        }
    }

    private static bool? IsComplete(HttpResponseMessage response) =>
        StructuredField.TryParseBoolean(Fields.Text(response, TransferHeaders.UploadComplete), out bool value) ? value : null;
}
