using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>StartUpload, QueryUpload, CommitUpload and AbortUpload.</summary>
internal static class GrpcUploads
{
    public static async Task StartAsync(GrpcCall call)
    {
        StartUploadRequest request = await call.ReadAsync(StartUploadRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        using TransferPass pass = await call.EnterAsync(TransferOperation.ManageUpload, name);
        var start = new StartUploadOptions
        {
            Name = name,
            Length = GrpcValues.Bytes(request.HasLength, request.Length, "length"),
            Precondition = GrpcValues.Precondition(request.Precondition),
            Expected = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null,
            Modified = GrpcValues.Time(request.Modified, "modified"),
            IsExecutable = request.HasExecutable ? request.Executable : null,
        };
        await using UploadSession session = await UploadSession.StartAsync(call.Context, start, pass, call.Ended);
        await call.Answer.SendAsync(ToMessage(session.Status));
    }

    public static async Task QueryAsync(GrpcCall call)
    {
        QueryUploadRequest request = await call.ReadAsync(QueryUploadRequest.Parser);
        await using UploadSession session = await OpenAsync(call, request.Upload, TransferOperation.ManageUpload);
        await session.TakeOverAsync();
        await call.Answer.SendAsync(ToMessage(session.Status));
    }

    public static async Task CommitAsync(GrpcCall call)
    {
        CommitUploadRequest request = await call.ReadAsync(CommitUploadRequest.Parser);
        long? length = GrpcValues.Bytes(request.HasLength, request.Length, "length");
        Sha256Digest? digest = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null;
        await using UploadSession session = await OpenAsync(call, request.Upload, TransferOperation.ManageUpload);
        await session.TakeOverAsync();
        await CompleteAsync(call, session, length, digest);
        await call.Answer.SendAsync(ToMessage(session.Status));
    }

    public static async Task AbortAsync(GrpcCall call)
    {
        AbortUploadRequest request = await call.ReadAsync(AbortUploadRequest.Parser);
        _ = GrpcValues.Upload(request.Upload);
        bool aborted = false;
        try
        {
            await using UploadSession session = await OpenAsync(call, request.Upload, TransferOperation.ManageUpload);
            aborted = await session.DeleteAsync(call.Ended);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // It is gone already, as the caller wanted.
        }

        await call.Answer.SendAsync(new AbortUploadResponse { Aborted = aborted });
    }

    public static ValueTask<UploadSession> OpenAsync(GrpcCall call, string upload, TransferOperation operation) => UploadSession.OpenAsync(
        call.Context, call.Store, GrpcValues.Upload(upload), operation, call.Ended);

    /// <summary>Publishes an upload; one that was published already only has its digest compared.</summary>
    public static async ValueTask CompleteAsync(GrpcCall call, UploadSession session, long? length, Sha256Digest? digest)
    {
        UploadStatus status = session.Status;
        if (status.Published is { } published)
        {
            if (digest is { } wanted && published.Sha256 is { } actual && wanted != actual)
            {
                throw Errors.WrongDigest(status.Name, wanted, actual);
            }

            return;
        }

        if (!status.IsPartial && (status.Length is null || (length is not null && length != status.Length)))
        {
            await session.SetLengthAsync(length ?? status.Offset, call.Ended);
            status = session.Status;
        }

        if (!status.IsPartial && !status.IsComplete)
        {
            throw new Refusal(
                TransferError.OffsetMismatch,
                $"Upload {status.Id} has {status.Offset} of its {status.Length} bytes. Continue at {status.Offset}.",
                status.Name.Value)
            {
                Offset = status.Offset,
            };
        }

        await session.CompleteAsync(digest);
    }

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

    /// <summary>For a file that was uploaded in one stream.</summary>
    public static Messages.UploadStatus ToMessage(StoredFile file) => new()
    {
        Offset = file.Length,
        Length = file.Length,
        File = GrpcMapping.ToMessage(file),
    };
}
