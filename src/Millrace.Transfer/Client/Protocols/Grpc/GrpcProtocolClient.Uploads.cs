using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <content>Uploads: with one call, or with several that can be resumed.</content>
internal sealed partial class GrpcProtocolClient
{
    /// <summary>Maximum bytes of a part.</summary>
    /// <remarks>gRPC's implementations accept messages of 4 MiB by default, and gzip may need nine bits for a byte.</remarks>
    public const long PartBytes = 7 * 512 * 1024;

    private volatile bool _knowsNoUploads;

    /// <summary>How much of a request's body is a file's: text has four characters for three bytes, and messages have frames.</summary>
    private int BodyPercent => Kind == TransferProtocol.GrpcWebText ? 70 : 95;

    /// <inheritdoc/>
    /// <remarks>
    /// As text, a request has one message wherever the server allows it. Servers disagree about several: Grpc.AspNetCore.Web finds the
    /// next one only after padding, and loses bytes that it decoded after a message without padding; Envoy and others take padding only at the end.
    /// </remarks>
    public override bool SendsWhole(bool isSmall) => (isSmall && Kind != TransferProtocol.GrpcWebText) || _knowsNoUploads;

    public override async Task<UploadAnswer> PutAsync(Upload upload, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", upload.Name);
        ThrowIfLinked(upload.Name, call);
        Outgoing content = upload.SendWhole(watch);
        var head = new UploadHead { Name = upload.Name.Value, Precondition = GrpcMapping.ToMessage(upload.Precondition) };
        if (content.Count is { } length)
        {
            head.Length = length;
        }

        if (upload.IsExecutable is { } isExecutable)
        {
            head.Executable = isExecutable;
        }

        head.Modified = upload.Modified is { } time ? GrpcMapping.ToMessage(time) : null;
        if (digest is { } sha256)
        {
            head.Sha256 = GrpcMapping.ToMessage(sha256);
        }

        var chunks = new ChunkContent(head, content, hasTrailingDigest: digest is null && !IsWeb, _setup);
        UploadStatus status = await SendAsync("Upload", chunks, content, call, watch).ConfigureAwait(false);
        return Published(status, content.Sent, call);
    }

    public override async Task<Uri?> StartAsync(Upload upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", upload.Name);
        var message = new StartUploadRequest { Name = upload.Name.Value, Precondition = GrpcMapping.ToMessage(upload.Precondition) };
        if (upload.AnnouncedLength is { } length)
        {
            message.Length = length;
        }

        if (upload.IsExecutable is { } isExecutable)
        {
            message.Executable = isExecutable;
        }

        message.Modified = upload.Modified is { } time ? GrpcMapping.ToMessage(time) : null;
        if (upload.Delta is { } delta)
        {
            message.Sha256 = GrpcMapping.ToMessage(delta.Sha256);
        }

        try
        {
            UploadStatus status = await AskAsync("StartUpload", message, UploadStatus.Parser, call, watch).ConfigureAwait(false);
            return status.Upload.Length > 0
                ? new Uri(_uploads, Uri.EscapeDataString(status.Upload))
                : throw Failures.Protocol(call, "the response has no upload ID");
        }
        catch (TransferException exception) when (exception.Error == TransferError.ProtocolNotOffered)
        {
            // Another implementation may have nothing of the kind.
            _knowsNoUploads = true;
            return null;
        }
    }

    public override async Task<UploadAnswer?> PositionAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Continuing the upload of", name);
        try
        {
            return Answer(await AskAsync(
                "QueryUpload", new QueryUploadRequest { Upload = IdOf(upload) }, UploadStatus.Parser, call, watch).ConfigureAwait(false));
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// gRPC brings all the rest in one call, with the digest after the last byte. gRPC-Web has no streams of requests: a call
    /// brings a part, whose bytes have to be counted first.
    /// </remarks>
    public override async Task<UploadAnswer> SendNextAsync(Upload upload, long offset, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", upload.Name);
        string id = IdOf(upload.Location!);
        if (!IsWeb)
        {
            Outgoing rest = upload.Send(offset, long.MaxValue, watch, BodyPercent);
            bool isLast = upload.Delta is null && rest.End is { } end && end == upload.AnnouncedLength;
            var head = new UploadHead { Upload = id, Offset = offset, Commit = isLast, DeltaBase = upload.Delta?.Tag?.Value ?? "", IsDelta = upload.Delta is not null };
            if (upload.AnnouncedLength is { } length)
            {
                head.Length = length;
            }

            return Answer(await SendAsync("Upload", new ChunkContent(head, rest, isLast, _setup), rest, call, watch).ConfigureAwait(false));
        }

        Outgoing part = upload.Send(offset, PartBytes, watch, BodyPercent);
        if (part.Count is null)
        {
            await part.CountAheadAsync().ConfigureAwait(false);
        }

        return part.Count == 0
            ? new UploadAnswer(offset, IsComplete: false)
            : Answer(await SendAsync(
                "UploadPart", new PartContent(
                    new UploadPartRequest { Upload = id, Offset = offset, DeltaBase = upload.Delta?.Tag?.Value ?? "", IsDelta = upload.Delta is not null }, part, _setup), part, call, watch)
                .ConfigureAwait(false));
    }

    public override async Task<UploadAnswer> FinishAsync(Upload upload, long length, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", upload.Name);
        var message = new CommitUploadRequest { Upload = IdOf(upload.Location!), Length = length };
        if (digest is { } sha256)
        {
            message.Sha256 = GrpcMapping.ToMessage(sha256);
        }

        UploadStatus status = await AskAsync("CommitUpload", message, UploadStatus.Parser, call, watch).ConfigureAwait(false);
        return Published(status, length, call);
    }

    public override async Task AbortAsync(TransferName name, Uri upload, IdleWatch watch) => await AskAsync(
        "AbortUpload",
        new AbortUploadRequest { Upload = IdOf(upload) },
        AbortUploadResponse.Parser,
        Call("Giving up the upload of", name),
        watch).ConfigureAwait(false);

    private static UploadAnswer Published(UploadStatus status, long length, ProtocolCall call) => status.File is not null
        ? Answer(status) with { Offset = length }
        : throw Failures.Protocol(call, "the response does not confirm that the file was published");

    private static UploadAnswer Answer(UploadStatus status) => new(
        status.Offset,
        status.File is not null,
        status.File is { Tag.Length: > 0 } file ? new EntityTag(file.Tag) : null,
        status.File is { HasSha256: true } known ? GrpcMapping.ToDigest(known.Sha256) : null);

    /// <summary>The name that the server's other protocols use too, so that another one can continue it.</summary>
    private static string IdOf(Uri upload) =>
        Uri.UnescapeDataString(upload.AbsolutePath[(upload.AbsolutePath.LastIndexOf('/') + 1)..]);

    /// <summary>Sends a part of a file, until all of it is gone or the server has answered.</summary>
    private async Task<UploadStatus> SendAsync(
        string method, OutgoingMessages messages, Outgoing content, ProtocolCall call, IdleWatch watch)
    {
        using var exchange = new GrpcExchange(_setup, call, watch);
        using HttpRequestMessage request = Request(method, messages);
        try
        {
            GrpcInput input = await exchange.SendAsync(request).ConfigureAwait(false);
            UploadStatus status = await GrpcMessages.ReadOnlyOneAsync(exchange, input, UploadStatus.Parser).ConfigureAwait(false);
            _setup.Sizes.GotThrough(content);
            return status;
        }
        catch (Exception exception)
        {
            if (content.SourceFailure is { } failure && exception is not TransferException { Status: not null })
            {
                throw Failures.OfSource(failure, call);
            }

            Exception translated = exception is TransferException ? exception : exchange.Translate(exception);
            throw translated is TransferException refused ? _setup.Sizes.Learn(refused, content) : translated;
        }
        finally
        {
            exchange.Input?.Dispose();
            await messages.EndAsync().ConfigureAwait(false);
        }
    }
}
