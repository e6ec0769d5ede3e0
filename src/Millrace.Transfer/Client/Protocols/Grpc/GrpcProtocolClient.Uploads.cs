using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>Uploads: with one call, or in a session that is continued.</summary>
internal sealed partial class GrpcProtocolClient
{
    private volatile bool _knowsNoUploads;

    public override async Task<UploadAnswer> PutAsync(
        TransferName name, Outgoing content, WritePrecondition precondition, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        ThrowIfLinked(name, call);
        var head = new UploadHead { Name = name.Value, Precondition = GrpcMapping.ToMessage(precondition) };
        if (content.Count is { } length)
        {
            head.Length = length;
        }

        if (digest is { } sha256)
        {
            head.Sha256 = GrpcMapping.ToMessage(sha256);
        }

        UploadStatus status = await SendAsync(
            "Upload", new ChunkContent(head, content, _setup), content, call, watch).ConfigureAwait(false);
        return status.File is not null
            ? Answer(status)
            : throw Failures.Protocol(call, "the answer does not say that the file was published");
    }

    public override async Task<Uri> StartAsync(
        TransferName name, long? length, WritePrecondition precondition, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        var message = new StartUploadRequest { Name = name.Value, Precondition = GrpcMapping.ToMessage(precondition) };
        if (length is { } bytes)
        {
            message.Length = bytes;
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
            // A server of somebody else may have nothing of the kind.
            _knowsNoUploads = true;
            throw new TransferException(
                exception.Error, $"{exception.Message} It is sent with one call.", exception.Name, exception)
            {
                Status = exception.Status,
                Protocol = Kind,
                IsTransient = true,
            };
        }
    }

    public override async Task<UploadPosition?> PositionAsync(TransferName name, Uri upload, IdleWatch watch)
    {
        ProtocolCall call = Call("Continuing the upload of", name);
        try
        {
            UploadStatus status = await AskAsync(
                "QueryUpload", new QueryUploadRequest { Upload = IdOf(upload) }, UploadStatus.Parser, call, watch)
                .ConfigureAwait(false);
            return new UploadPosition(status.Offset, status.File is not null);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }

    public override async Task<UploadAnswer> AppendAsync(
        TransferName name, Uri upload, Outgoing content, long? length, bool isLast, Sha256Digest? partDigest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        if (!IsWeb)
        {
            var head = new UploadHead { Upload = IdOf(upload), Offset = content.Offset, Commit = isLast };
            if (length is { } whole)
            {
                head.Length = whole;
            }

            return Answer(await SendAsync(
                "Upload", new ChunkContent(head, content, _setup), content, call, watch).ConfigureAwait(false));
        }

        var part = new UploadPartRequest { Upload = IdOf(upload), Offset = content.Offset };
        if (partDigest is { } digest)
        {
            part.Sha256 = GrpcMapping.ToMessage(digest);
        }

        return Answer(await SendAsync(
            "UploadPart", new PartContent(part, content, _setup), content, call, watch).ConfigureAwait(false));
    }

    public override async Task<UploadAnswer> FinishAsync(
        TransferName name, Uri upload, long length, Sha256Digest? digest, IdleWatch watch)
    {
        ProtocolCall call = Call("Uploading", name);
        var message = new CommitUploadRequest { Upload = IdOf(upload), Length = length };
        if (digest is { } sha256)
        {
            message.Sha256 = GrpcMapping.ToMessage(sha256);
        }

        UploadStatus status = await AskAsync("CommitUpload", message, UploadStatus.Parser, call, watch).ConfigureAwait(false);
        return status.File is not null
            ? Answer(status)
            : throw Failures.Protocol(call, "the answer does not say that the file was published");
    }

    public override async Task AbortAsync(TransferName name, Uri upload, IdleWatch watch) => await AskAsync(
        "AbortUpload",
        new AbortUploadRequest { Upload = IdOf(upload) },
        AbortUploadResponse.Parser,
        Call("Giving up the upload of", name),
        watch).ConfigureAwait(false);

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
            return await GrpcMessages.ReadOnlyOneAsync(exchange, input, UploadStatus.Parser).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            if (content.SourceFailure is { } failure && exception is not TransferException { Status: not null })
            {
                throw Failures.OfSource(failure, call);
            }

            if (exception is TransferException)
            {
                throw;
            }

            throw exchange.Translate(exception);
        }
        finally
        {
            exchange.Input?.Dispose();
            await messages.EndAsync().ConfigureAwait(false);
        }
    }
}
