using System.Net;
using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>tus 1.0 up; the rest over HTTP/1.1.</summary>
internal sealed partial class TusProtocolClient(ProtocolSetup setup) : HttpProtocolClient(setup)
{
    /// <summary>Bytes of one request where checksums are compared.</summary>
    /// <remarks>A checksum goes in front of its bytes, so that they are read twice; the second time from the page cache.</remarks>
    public const long CheckedBytes = 8 * 1024 * 1024;

    private const string ProtocolVersion = "1.0.0";

    private static readonly MediaTypeHeaderValue OffsetOctetStream = new("application/offset+octet-stream");

    public override bool VerifiesWhole => false;

    public override long MaxRequestBytes(bool verify) => verify ? CheckedBytes : long.MaxValue;

    public override async Task<Uri> StartAsync(
        TransferName name, long? length, WritePrecondition precondition, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        Uri url = Setup.Uploads!;
        using HttpResponseMessage response = await SendAsync(HttpMethod.Post, url, call, watch, request =>
        {
            AddVersion(request);
            AddPrecondition(request, precondition);
            Add(request, TransferHeaders.UploadMetadata, $"filename {Convert.ToBase64String(Encoding.UTF8.GetBytes(name.Value))}");
            if (length is { } bytes)
            {
                Add(request, TransferHeaders.UploadLength, Text(bytes));
            }
            else
            {
                Add(request, "Upload-Defer-Length", "1");
            }

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
        using HttpResponseMessage response = await SendAsync(HttpMethod.Head, upload, call, watch, AddVersion)
            .ConfigureAwait(false);
        if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Gone)
        {
            return null;
        }

        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        long offset = Fields.Number(response, TransferHeaders.UploadOffset)
            ?? throw Failures.Protocol(call, "the response has no upload offset");
        return new UploadPosition(offset, Fields.Number(response, TransferHeaders.UploadLength) == offset);
    }

    public override async Task<UploadAnswer> AppendAsync(
        TransferName name, Uri upload, Outgoing content, long? length, bool isLast, Sha256Digest? partDigest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch,
            upload,
            call,
            watch,
            request =>
            {
                AddVersion(request);
                request.Content!.Headers.ContentType = OffsetOctetStream;
                Add(request, TransferHeaders.UploadOffset, Text(content.Offset));
                if (partDigest is { } digest)
                {
                    Add(request, TransferHeaders.UploadChecksum, $"sha256 {digest.ToBase64()}");
                }
            },
            content).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        long offset = Fields.Number(response, TransferHeaders.UploadOffset)
            ?? throw Failures.Protocol(call, "the response has no upload offset");
        return new UploadAnswer(offset, offset == length, Fields.Tag(response), Fields.Sha256(response));
    }

    public override async Task<UploadAnswer> FinishAsync(
        TransferName name, Uri upload, long length, Sha256Digest? digest, IdleWatch watch)
    {
        // tus publishes with the last byte; where the length was left open, saying it is what is last.
        ProtocolCall call = Call("Uploading", name);
        using HttpResponseMessage response = await SendAsync(HttpMethod.Patch, upload, call, watch, request =>
        {
            AddVersion(request);
            request.Content = new ByteArrayContent([]);
            request.Content.Headers.ContentType = OffsetOctetStream;
            Add(request, TransferHeaders.UploadOffset, Text(length));
            Add(request, TransferHeaders.UploadLength, Text(length));
        }).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return new UploadAnswer(length, Complete: true, Fields.Tag(response), Fields.Sha256(response));
    }

    protected override void AddVersion(HttpRequestMessage request) =>
        Add(request, TransferHeaders.TusResumable, ProtocolVersion);
}
