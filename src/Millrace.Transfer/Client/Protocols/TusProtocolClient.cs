using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>tus 1.0 up, also in parts that the server joins (the extension <c>concatenation</c>); the rest over HTTP/1.1.</summary>
internal sealed class TusProtocolClient(ProtocolSetup setup) : HttpProtocolClient(setup)
{
    /// <summary>Bytes of one request where checksums are compared.</summary>
    /// <remarks>A checksum goes in front of its bytes, so that they are read twice; the second time from the page cache.</remarks>
    public const long CheckedBytes = 8 * 1024 * 1024;

    private const string ProtocolVersion = "1.0.0";

    private static readonly MediaTypeHeaderValue OffsetOctetStream = new("application/offset+octet-stream");

    public override bool SendsWhole(bool isSmall) => false;

    public override async Task<Uri?> StartAsync(Upload upload, IdleWatch watch) =>
        await CreateAsync(Call("Uploading", upload.Name), watch, request =>
        {
            AddPrecondition(request, upload.Precondition);
            Add(request, TransferHeaders.UploadMetadata, MetadataOf(upload, upload.Delta?.Sha256));
            if (upload.AnnouncedLength is { } bytes)
            {
                Add(request, TransferHeaders.UploadLength, Text(bytes));
            }
            else
            {
                Add(request, "Upload-Defer-Length", "1");
            }
        }).ConfigureAwait(false);

    public override async Task<UploadAnswer?> PositionAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Continuing the upload of", name);
        using HttpResponseMessage? response = await SendOrNullAsync(HttpMethod.Head, upload, call, watch, AddVersion).ConfigureAwait(false);
        return response is not null && OffsetOf(response, call) is var offset
            ? new UploadAnswer(offset, Fields.Number(response, TransferHeaders.UploadLength) == offset)
            : null;
    }

    /// <inheritdoc/>
    /// <remarks>Where digests are compared, one request brings a part that was hashed before: tus compares each part.</remarks>
    public override async Task<UploadAnswer> SendNextAsync(Upload upload, long offset, IdleWatch watch)
    {
        Outgoing content = upload.Send(offset, upload.Verifies ? CheckedBytes : long.MaxValue, watch);
        Sha256Digest? digest = upload.Verifies ? await content.HashAheadAsync().ConfigureAwait(false) : null;
        return content.Count == 0
            ? new UploadAnswer(offset, IsComplete: false)
            : await AppendAsync(upload.Name, upload.Location!, content, upload.AnnouncedLength, digest, watch, upload.Delta).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// tus publishes with the last byte, and an empty file when its upload is created. It only remains to set a length that
    /// was not known.
    /// </remarks>
    public override async Task<UploadAnswer> FinishAsync(Upload upload, long length, Sha256Digest? digest, IdleWatch watch)
    {
        Uri location = upload.Location!;
        if (length == 0 && await PositionAsync(upload.Name, location, watch).ConfigureAwait(false) is null or { IsComplete: true })
        {
            return new UploadAnswer(0, IsComplete: true);
        }

        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch, location, Call("Uploading", upload.Name), watch, request =>
            {
                AddVersion(request);
                request.Content = new ByteArrayContent([]);
                request.Content.Headers.ContentType = OffsetOctetStream;
                Add(request, TransferHeaders.UploadOffset, Text(length));
                Add(request, TransferHeaders.UploadLength, Text(length));
            }).ConfigureAwait(false);
        return new UploadAnswer(length, IsComplete: true, Fields.Tag(response), Fields.Sha256(response));
    }

    /// <summary>Sends bytes of an upload, or of a part; the server compares their digest.</summary>
    public async Task<UploadAnswer> AppendAsync(
        TransferName name, Uri upload, Outgoing content, long? length, Sha256Digest? digest, IdleWatch watch, DeltaUpload? delta = null)
    {
        ProtocolCall call = Call("Uploading", name);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch, upload, call, watch, request =>
            {
                AddVersion(request);
                request.Content!.Headers.ContentType = OffsetOctetStream;
                Add(request, TransferHeaders.UploadOffset, Text(content.Offset));
                AddDelta(request, delta);
                if (digest is { } sha256)
                {
                    Add(request, TransferHeaders.UploadChecksum, $"sha256 {sha256.ToBase64()}");
                }
            },
            content).ConfigureAwait(false);
        long offset = OffsetOf(response, call);
        return new UploadAnswer(offset, offset == length, Fields.Tag(response), Fields.Sha256(response));
    }

    /// <summary>Begins an upload that is a part of the file.</summary>
    /// <returns>Where it is continued.</returns>
    public Task<Uri> StartPartAsync(TransferName name, long length, IdleWatch watch) =>
        CreateAsync(Call("Uploading a part of", name), watch, request =>
        {
            Add(request, TransferHeaders.UploadConcat, "partial");
            Add(request, TransferHeaders.UploadLength, Text(length));
        });

    /// <summary>Publishes the parts, which have all their bytes, one after the other as the file.</summary>
    public async Task<UploadAnswer> JoinAsync(Upload upload, IEnumerable<Uri> parts, Sha256Digest? digest, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Post, Setup.Uploads!, Call("Joining the parts of", upload.Name), watch, request =>
            {
                AddVersion(request);
                AddPrecondition(request, upload.Precondition);
                Add(request, TransferHeaders.UploadConcat, $"final;{string.Join(' ', parts.Select(part => part.AbsolutePath))}");
                Add(request, TransferHeaders.UploadMetadata, MetadataOf(upload, digest));
                request.Content = new ByteArrayContent([]);
            }).ConfigureAwait(false);
        return new UploadAnswer(upload.Source.Length!.Value, IsComplete: true, Fields.Tag(response), Fields.Sha256(response));
    }

    protected override void AddVersion(HttpRequestMessage request) =>
        Add(request, TransferHeaders.TusResumable, ProtocolVersion);

    private async Task<Uri> CreateAsync(ProtocolCall call, IdleWatch watch, Action<HttpRequestMessage> prepare)
    {
        Uri url = Setup.Uploads!;
        using HttpResponseMessage response = await SendAsync(HttpMethod.Post, url, call, watch, request =>
        {
            AddVersion(request);
            prepare(request);
            request.Content = new ByteArrayContent([]);
        }).ConfigureAwait(false);
        return LocationOf(response, url, call);
    }

    private static string MetadataOf(Upload upload, Sha256Digest? digest) =>
        $"filename {Base64(upload.Name.Value)}{(upload.Modified is { } time ? $",mtime {Base64(time.ToString())}" : "")}"
        + (upload.IsExecutable is { } isExecutable ? $",executable {Base64(isExecutable ? "1" : "0")}" : "")
        + (digest is { } sha256 ? $",sha256 {sha256.ToBase64()}" : "");

    private static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));
}
