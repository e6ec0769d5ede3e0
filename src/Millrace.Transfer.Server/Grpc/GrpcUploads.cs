using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>StartUpload, QueryUpload, CommitUpload and AbortUpload.</summary>
internal static class GrpcUploads
{
    public static async Task StartAsync(GrpcCall call)
    {
        StartUploadRequest request = await call.ReadAsync(StartUploadRequest.Parser).ConfigureAwait(false);
        TransferName name = TransferName.Parse(request.Name);
        using TransferPass pass = await call.EnterAsync(TransferScope.Write, name, isTransfer: false).ConfigureAwait(false);
        UploadStatus status = await call.Store
            .StartUploadAsync(
                new StartUploadOptions
                {
                    Name = name,
                    Length = GrpcValues.Bytes(request.HasLength, request.Length, "length"),
                    Precondition = GrpcValues.Precondition(request.Precondition),
                    Expected = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null,
                    Owner = pass.Owner,
                },
                call.Ended)
            .ConfigureAwait(false);
        await call.Answer.SendAsync(ToMessage(status)).ConfigureAwait(false);
    }

    public static async Task QueryAsync(GrpcCall call)
    {
        QueryUploadRequest request = await call.ReadAsync(QueryUploadRequest.Parser).ConfigureAwait(false);
        UploadId id = GrpcValues.Upload(request.Upload);
        (UploadStatus _, TransferPass pass) = await EnterAsync(call, id, isTransfer: false).ConfigureAwait(false);
        using TransferPass entered = pass;
        UploadStatus status = await TakeOverAsync(call, id).ConfigureAwait(false);
        await call.Answer.SendAsync(ToMessage(status)).ConfigureAwait(false);
    }

    public static async Task CommitAsync(GrpcCall call)
    {
        CommitUploadRequest request = await call.ReadAsync(CommitUploadRequest.Parser).ConfigureAwait(false);
        UploadId id = GrpcValues.Upload(request.Upload);
        long? length = GrpcValues.Bytes(request.HasLength, request.Length, "length");
        Sha256Digest? digest = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null;
        (UploadStatus _, TransferPass pass) = await EnterAsync(call, id, isTransfer: false).ConfigureAwait(false);
        using TransferPass entered = pass;
        UploadStatus status = await TakeOverAsync(call, id).ConfigureAwait(false);
        status = await CompleteAsync(call, status, length, digest).ConfigureAwait(false);
        await call.Answer.SendAsync(ToMessage(status)).ConfigureAwait(false);
    }

    public static async Task AbortAsync(GrpcCall call)
    {
        AbortUploadRequest request = await call.ReadAsync(AbortUploadRequest.Parser).ConfigureAwait(false);
        UploadId id = GrpcValues.Upload(request.Upload);
        bool aborted = false;
        try
        {
            (UploadStatus _, TransferPass pass) = await EnterAsync(call, id, isTransfer: false).ConfigureAwait(false);
            using TransferPass entered = pass;
            aborted = await call.Store.AbortUploadAsync(id, call.Ended).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // There is none any more, which is what was wanted.
        }

        await call.Answer.SendAsync(new AbortUploadResponse { Aborted = aborted }).ConfigureAwait(false);
    }

    /// <summary>Publishes an upload, and once more says what it became.</summary>
    /// <param name="call">The call.</param>
    /// <param name="status">How far it is.</param>
    /// <param name="length">Bytes of the whole, as the call says; null when it does not.</param>
    /// <param name="digest">Its digest, the same.</param>
    public static async ValueTask<UploadStatus> CompleteAsync(
        GrpcCall call, UploadStatus status, long? length, Sha256Digest? digest)
    {
        if (status.Published is not { } published)
        {
            return await PublishAsync(call, status, length, digest).ConfigureAwait(false);
        }

        if (digest is { } wanted && published.Sha256 is { } has && wanted != has)
        {
            throw StoreErrors.WrongDigest(status.Name, wanted, has);
        }

        return status;
    }

    /// <summary>Lets the call in and finds its upload.</summary>
    public static ValueTask<(UploadStatus Status, TransferPass Pass)> EnterAsync(GrpcCall call, UploadId id, bool isTransfer) =>
        UploadLookup.EnterAsync(Of(call), id, isTransfer);

    /// <summary>How far it is, when whoever still appended to it has been stopped.</summary>
    public static ValueTask<UploadStatus> TakeOverAsync(GrpcCall call, UploadId id) => UploadLookup.TakeOverAsync(Of(call), id);

    /// <summary>What the rules of uploads need to know of a call.</summary>
    public static UploadCall Of(GrpcCall call) => new(call.Context, call.Store, call.Options, call.Options.UploadsPath);

    public static Messages.UploadStatus ToMessage(UploadStatus status)
    {
        var message = new Messages.UploadStatus
        {
            Upload = status.Id.Value,
            Offset = status.Offset,
            Expires = Timestamp.FromDateTimeOffset(status.Expires),
        };
        if (status.Length is { } length)
        {
            message.Length = length;
        }

        if (status.Published is { } file)
        {
            message.File = GrpcMapping.ToMessage(file);
        }

        return message;
    }

    /// <summary>Of a file that came in one stream.</summary>
    public static Messages.UploadStatus ToMessage(StoredFile file) => new()
    {
        Offset = file.Length,
        Length = file.Length,
        File = GrpcMapping.ToMessage(file),
    };

    private static async ValueTask<UploadStatus> PublishAsync(
        GrpcCall call, UploadStatus status, long? length, Sha256Digest? digest)
    {
        if (status.IsPartial)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Upload {status.Id} is a part of others and becomes no file of its own. Join it with tus's Upload-Concat.");
        }

        if (status.Length is null || (length is not null && length != status.Length))
        {
            status = await call.Store
                .SetUploadLengthAsync(status.Id, length ?? status.Offset, call.Ended)
                .ConfigureAwait(false);
        }

        if (!status.HasAll)
        {
            throw new TransferException(
                TransferError.OffsetMismatch,
                $"Upload {status.Id} has {status.Offset} of its {status.Length} bytes. Continue at {status.Offset}.",
                status.Name.Value)
            {
                Offset = status.Offset,
            };
        }

        if (digest is not null && status.Expected is not null && digest != status.Expected)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"The SHA-256 is said to be {digest}, and was {status.Expected} when the upload was begun. Send the one of the whole file.",
                status.Name.Value);
        }

        // Everything is there: to publish it is right, whether or not somebody waits for the answer.
        StoredFile file = await call.Store
            .CompleteUploadAsync(status.Id, digest ?? status.Expected, CancellationToken.None)
            .ConfigureAwait(false);
        return status with { Published = file };
    }
}
