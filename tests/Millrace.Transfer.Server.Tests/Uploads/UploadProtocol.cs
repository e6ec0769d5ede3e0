using Google.Protobuf;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>The encodings of one upload resource.</summary>
public enum UploadProtocol
{
    Draft,
    Tus,
    Grpc,
    GrpcWeb,
    GrpcWebText,
}

/// <summary>How a request of an upload ended, in whichever protocol.</summary>
/// <param name="Error">The <see cref="TransferError"/>; null when it succeeded.</param>
/// <param name="Offset">Bytes that the server has, where the response has the offset.</param>
/// <param name="Status">The status of a refusal: HTTP's or gRPC's.</param>
internal readonly record struct UploadReply(string? Error, long? Offset, int Status = 0)
{
    /// <summary>How a protocol refuses.</summary>
    public static UploadReply Refused(UploadProtocol protocol, TransferError error, long? offset = null)
    {
        (int http, int grpc) = error switch
        {
            TransferError.NotFound => (404, 5),

            // To the draft, lengths that contradict each other are a separate problem.
            TransferError.TooLarge => (protocol == UploadProtocol.Draft ? 400 : 413, 8),
            TransferError.OffsetMismatch => (409, 10),
            TransferError.DigestMismatch => (protocol == UploadProtocol.Tus ? 460 : 400, 15),
            TransferError.AlreadyExists => (412, 6),
            TransferError.NoSpace => (507, 8),
            TransferError.TooManyTransfers => (429, 8),
            _ => throw new ArgumentOutOfRangeException(nameof(error)),
        };
        return new UploadReply(ErrorCode.Of(error), offset, protocol > UploadProtocol.Tus ? grpc : http);
    }
}

/// <summary>Each test runs over all protocols of uploads, against the server of the command.</summary>
public abstract class UploadProtocolTest : GrpcTest
{
    /// <summary>Starts an upload of <c>a</c>.</summary>
    /// <returns>The identifier, which is the same in all protocols.</returns>
    internal async Task<string> BeginAsync(UploadProtocol protocol, long length, bool createNew = false)
    {
        (string? upload, UploadReply reply, _) = await TryBeginAsync(protocol, length, createNew);
        Assert.Null(reply.Error);
        return upload!;
    }

    /// <summary>Starts an upload of <c>a</c>, which may be refused.</summary>
    internal async Task<(string? Upload, UploadReply Reply, string? RetryAfter)> TryBeginAsync(
        UploadProtocol protocol, long length, bool createNew = false, string? token = null)
    {
        (string Name, string Value)[] bearer = token is null ? [] : [("Authorization", $"Bearer {token}")];
        if (protocol > UploadProtocol.Tus)
        {
            var request = new StartUploadRequest { Name = "a", Length = length };
            if (createNew)
            {
                request.Precondition = new Precondition { MustNotExist = true };
            }

            GrpcReply reply = await CallAsync(FormOf(protocol), "StartUpload", Frames.Of(request), bearer);
            return (
                reply.Status == 0 ? reply.Only(Messages.UploadStatus.Parser).Upload : null, Read(reply),
                reply.Trailers.GetValueOrDefault("retry-after"));
        }

        (string Name, string Value)[] condition = createNew ? [("If-None-Match", "*")] : [];
        using HttpResponseMessage created = protocol == UploadProtocol.Draft
            ? await SendAsync(HttpMethod.Put, "/files/a", null, [("Upload-Complete", "?0"), ("Upload-Length", $"{length}"), .. condition, .. bearer])
            : await SendAsync(
                HttpMethod.Post,
                "/uploads",
                null,
                [("Tus-Resumable", "1.0.0"), ("Upload-Length", $"{length}"), ("Upload-Metadata", "filename YQ=="), .. condition, .. bearer]);
        return (created.Headers.Location?.OriginalString.Split('/')[^1], await ReadAsync(created), created.Field("Retry-After"));
    }

    /// <summary>Sends bytes; with the last ones the file is to be published.</summary>
    internal async Task<UploadReply> AppendAsync(
        UploadProtocol protocol, string upload, long offset, ReadOnlyMemory<byte> bytes, bool isLast, byte[]? sha256 = null)
    {
        if (protocol > UploadProtocol.Tus)
        {
            byte[] part = ResumableTests.Part(upload, offset, bytes.Span, sha256);
            UploadReply reply = Read(await CallAsync(FormOf(protocol), "UploadPart", part));
            return isLast && reply.Error is null
                ? Read(await CallAsync(FormOf(protocol), "CommitUpload", Frames.Of(new CommitUploadRequest { Upload = upload })))
                : reply;
        }

        bool isDraft = protocol == UploadProtocol.Draft;
        var content = new ReadOnlyMemoryContent(bytes);
        content.Headers.ContentType = new(isDraft ? "application/partial-upload" : "application/offset+octet-stream");
        string? digest = sha256 is null ? null : Convert.ToBase64String(sha256);
        (string, string)[] fields = isDraft ? [("Upload-Complete", isLast ? "?1" : "?0")] : [("Tus-Resumable", "1.0.0")];
        (string, string)[] check = digest is null ? []
            : isDraft ? [("Content-Digest", $"sha-256=:{digest}:")] : [("Upload-Checksum", $"sha256 {digest}")];
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Patch, $"/uploads/{upload}", content, [("Upload-Offset", $"{offset}"), .. fields, .. check]);
        return await ReadAsync(response);
    }

    /// <summary>Asks how far an upload is.</summary>
    internal Task<UploadReply> QueryAsync(UploadProtocol protocol, string upload) =>
        CallAsync(protocol, HttpMethod.Head, upload, "QueryUpload", new QueryUploadRequest { Upload = upload }, Read);

    internal Task<UploadReply> DeleteAsync(UploadProtocol protocol, string upload) =>
        CallAsync(
            protocol, HttpMethod.Delete, upload, "AbortUpload", new AbortUploadRequest { Upload = upload },
            reply => reply.Status != 0 ? Read(reply)
                : reply.Only(AbortUploadResponse.Parser).Aborted ? default
                : UploadReply.Refused(protocol, TransferError.NotFound));

    private async Task<UploadReply> CallAsync(
        UploadProtocol protocol, HttpMethod method, string upload, string call, IMessage request, Func<GrpcReply, UploadReply> read)
    {
        if (protocol > UploadProtocol.Tus)
        {
            return read(await CallAsync(FormOf(protocol), call, Frames.Of(request)));
        }

        using HttpResponseMessage response = await SendAsync(
            method, $"/uploads/{upload}", null, protocol == UploadProtocol.Tus ? [("Tus-Resumable", "1.0.0")] : []);
        return await ReadAsync(response);
    }

    private static GrpcForm FormOf(UploadProtocol protocol) => protocol switch
    {
        UploadProtocol.Grpc => GrpcForm.Http2,
        UploadProtocol.GrpcWeb => GrpcForm.Web,
        _ => GrpcForm.WebText,
    };

    private static UploadReply Read(GrpcReply reply) => reply.Status == 0
        ? new UploadReply(null, reply.Only(Messages.UploadStatus.Parser).Offset)
        : new UploadReply(
            reply.Error, reply.Trailers.TryGetValue("millrace-offset", out string? offset) ? long.Parse(offset) : null, reply.Status);

    private static async Task<UploadReply> ReadAsync(HttpResponseMessage response)
    {
        long? offset = response.Field("Upload-Offset") is { } text ? long.Parse(text) : null;
        if (response.IsSuccessStatusCode)
        {
            return new UploadReply(null, offset);
        }

        string body = await response.Content.ReadAsStringAsync();

        // HEAD has no body, and only one reason to fail here.
        string error = body.Length == 0 && response.StatusCode == HttpStatusCode.NotFound
            ? nameof(TransferError.NotFound)
            : JsonSerializer.Deserialize(body, TransferJson.Default.ErrorDocument)!.Error;
        return new UploadReply(error, offset, (int)response.StatusCode);
    }

    private async Task<HttpResponseMessage> SendAsync(
        HttpMethod method, string path, HttpContent? content, (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, path) { Content = content };
        foreach ((string name, string value) in fields)
        {
            Assert.True(
                request.Headers.TryAddWithoutValidation(name, value) || content!.Headers.TryAddWithoutValidation(name, value));
        }

        HttpResponseMessage response = await Server.Client.SendAsync(request);
        if (request.Headers.Contains("Tus-Resumable"))
        {
            Assert.Equal("1.0.0", response.Field("Tus-Resumable"));
        }

        return response;
    }
}
