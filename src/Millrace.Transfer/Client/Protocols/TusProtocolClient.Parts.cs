using System.Text;

namespace Millrace.Transfer;

/// <summary>Parts that go over several connections, and what joins them: tus's extension <c>concatenation</c>.</summary>
internal sealed partial class TusProtocolClient
{
    /// <summary>Begins an upload that is a part of the file.</summary>
    /// <returns>Where it is continued.</returns>
    public async Task<Uri> StartPartAsync(TransferName name, long length, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading a part of", name);
        Uri url = Setup.Uploads!;
        using HttpResponseMessage response = await SendAsync(HttpMethod.Post, url, call, watch, request =>
        {
            AddVersion(request);
            Add(request, TransferHeaders.UploadConcat, "partial");
            Add(request, TransferHeaders.UploadLength, Text(length));
            request.Content = new ByteArrayContent([]);
        }).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return LocationOf(response, url, call);
    }

    /// <summary>Publishes the parts, one behind the other, as a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="parts">The uploads, in their order; all of them have all their bytes.</param>
    /// <param name="precondition">What must be under the name.</param>
    /// <param name="digest">What the server compares before it publishes; null for nothing.</param>
    /// <param name="watch">Ends it.</param>
    public async Task<UploadAnswer> JoinAsync(
        TransferName name, IEnumerable<Uri> parts, WritePrecondition precondition, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Joining the parts of", name);
        using HttpResponseMessage response = await SendAsync(HttpMethod.Post, Setup.Uploads!, call, watch, request =>
        {
            AddVersion(request);
            AddPrecondition(request, precondition);
            Add(request, TransferHeaders.UploadConcat, $"final;{string.Join(' ', parts.Select(part => part.AbsolutePath))}");
            string metadata = $"filename {Convert.ToBase64String(Encoding.UTF8.GetBytes(name.Value))}";
            Add(
                request,
                TransferHeaders.UploadMetadata,
                digest is { } sha256 ? $"{metadata},sha256 {sha256.ToBase64()}" : metadata);
            request.Content = new ByteArrayContent([]);
        }).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            await ThrowAsync(response, call, watch).ConfigureAwait(false);
        }

        return new UploadAnswer(null, Complete: true, Fields.Tag(response), Fields.Sha256(response));
    }
}
