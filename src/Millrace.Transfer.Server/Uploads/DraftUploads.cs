namespace Millrace.Transfer.Server;

/// <summary>
/// The IETF draft "Resumable Uploads for HTTP": any PUT or POST of a file with <c>Upload-Complete</c>, to the file's own URL or
/// to the uploads, and HEAD and PATCH of the upload.
/// </summary>
internal static class DraftUploads
{
    /// <summary>POST to the uploads, for clients that know only that URL: a field has the name.</summary>
    public static Task CreateAsync(UploadCall call)
    {
        string field = call.Field(TransferHeaders.UploadMetadata);
        return field.Length == 0
            ? CreateAsync(call, UploadNames.Choose(call.Request), metadata: null)
            : CreateAsync(call, UploadNames.Choose(TusMetadata.Parse(field), call.Store.Names), field);
    }

    /// <summary>Starts an upload, sends the client its URL, and receives its first bytes.</summary>
    public static async Task CreateAsync(UploadCall call, TransferName name, string? metadata)
    {
        call.IsAboutFile = true;
        using TransferPass pass = await call.EnterAsync(name);
        DraftRequest request = DraftRequest.Read(call, offset: null);
        using ContentCheck? check = ContentCheck.Read(call.Request);
        TusMetadata? given = metadata is null ? null : TusMetadata.Parse(metadata);
        var start = new StartUploadOptions
        {
            Name = name,
            Length = request.Length,
            Precondition = await call.ReadPreconditionAsync(name),
            IsPreconditionChecked = true,
            Metadata = metadata,
            Expected = call.ReadDigest(),
            Modified = GivenTime.Read(call.Context, given),
            IsExecutable = GivenExecutable.Read(call.Context, given),
        };
        await using UploadSession session = await call.StartAsync(start, pass);
        string location = call.UrlOf(session.Id);
        bool isNew;
        try
        {
            session.IsAnnounced = await InterimResponse.TrySendAsync(call.Context, location, call.LimitOf(session.Status));
            call.IsAboutFile = !session.IsAnnounced;
            isNew = await ReceiveAsync(call, session, request, check);
        }
        catch when (!session.IsAnnounced)
        {
            await session.DeleteAsync(CancellationToken.None);
            throw;
        }

        // The same Location as in the interim response: clients compare them. Content-Location is where the file is.
        bool isReplaced = session.Status.Published is not null && !isNew;
        call.Response.StatusCode = isReplaced ? StatusCodes.Status204NoContent : StatusCodes.Status201Created;
        call.Response.Headers.Location = location;
        Answer(call, session);
    }

    /// <summary>PATCH of an upload.</summary>
    public static async Task AppendAsync(UploadCall call, UploadId id)
    {
        await using UploadSession session = await call.OpenAsync(id, isTransfer: true);
        if (DraftRequest.NeedsMediaType(call.Request)
            && !string.Equals(call.Request.ContentType, UploadHeaders.DraftMediaType, StringComparison.OrdinalIgnoreCase))
        {
            throw new Refusal(
                TransferError.InvalidRequest, $"Bytes of a file are appended as Content-Type: {UploadHeaders.DraftMediaType}.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            };
        }

        if (!StructuredField.TryParseCount(call.Field(TransferHeaders.UploadOffset), out long offset))
        {
            throw Errors.Invalid("Upload-Offset is missing or not a number of bytes. Ask for it with HEAD.");
        }

        DraftRequest request = DraftRequest.Read(call, offset);
        using ContentCheck? check = ContentCheck.Read(call.Request);
        await session.TakeOverAtAsync(offset);
        UploadStatus status = session.Status;
        bool isRepeated = status is { Published: not null, Metadata: not null } && request.Completes && !call.HasBody;
        if (!isRepeated && (status.Published is not null || status.Parts is not null))
        {
            throw new Refusal(
                TransferError.UploadComplete, $"Upload {id} is complete: it became '{status.Name}'. Nothing can be appended.")
            {
                ContradictsLength = call.HasBody,
            };
        }

        await SetLengthAsync(session, request, call.Aborted);
        bool isNew = await ReceiveAsync(call, session, request, check);
        bool isCreated = isNew || (session.Status.Published is null && DraftRequest.CreatesWithParts(call.Request));
        call.Response.StatusCode = isCreated ? StatusCodes.Status201Created : StatusCodes.Status204NoContent;
        if (isNew)
        {
            call.Response.Headers.Location = call.UrlOf(session.Status.Name);
        }

        Answer(call, session);
    }

    /// <summary>Adds the limits of uploads to a response to OPTIONS; a minimum of 0 where there are none.</summary>
    public static void AddLimits(HttpResponse response, IFileStore store, TransferServerOptions options) =>
        response.Headers[UploadHeaders.UploadLimit] =
            UploadCall.SizesOf(store, options) is { Length: > 0 } sizes ? sizes[..^2] : "min-size=0";

    /// <summary>Receives the body, and publishes the file if that was the last of it.</summary>
    /// <returns>Whether a file was published under a name that was free.</returns>
    private static async ValueTask<bool> ReceiveAsync(
        UploadCall call, UploadSession session, DraftRequest request, ContentCheck? check)
    {
        try
        {
            await call.ReceiveAsync(session, check);
        }
        catch (Refusal refusal) when (refusal.ContradictsLength && call.Request.ContentLength is null)
        {
            // The draft, section 4.4.2: an upload that has become longer than its length is of no use.
            await session.DeleteAsync(CancellationToken.None);
            throw;
        }

        if (!request.Completes && !IsDue(session.Status))
        {
            return false;
        }

        if (session.Status.Length is null)
        {
            await session.SetLengthAsync(session.Status.Offset, CancellationToken.None);
        }

        return session.Status.IsComplete
            ? await call.CompleteAsync(session)
            : throw DraftRequest.Contradiction(
                $"Upload {session.Id} has a length of {session.Status.Length} bytes, and ends at {session.Status.Offset}.");
    }

    /// <summary>Whether an upload is to be published although no request of the draft asked for it.</summary>
    /// <remarks>
    /// In tus the last byte completes an upload, and so it does for one that was started with tus's metadata: tus-js-client
    /// starts uploads by the draft that way, sends the last part of a file of several, and an empty file, with
    /// <c>Upload-Complete: ?0</c>, and takes them for complete (4.3.1, FileSource.js).
    /// </remarks>
    public static bool IsDue(UploadStatus status) => status is { IsComplete: true, IsPartial: false, Metadata: not null };

    private static async ValueTask SetLengthAsync(UploadSession session, DraftRequest request, CancellationToken cancellationToken)
    {
        UploadStatus status = session.Status;
        if (request.Length is not { } length || status.Length == length)
        {
            return;
        }

        if (status.Length is { } before)
        {
            throw DraftRequest.Contradiction($"Upload {status.Id} has a length of {before} bytes, and this request declares {length}.");
        }

        if (status.Offset > length)
        {
            throw DraftRequest.Contradiction($"Upload {status.Id} has {status.Offset} bytes, more than {length}.");
        }

        await session.SetLengthAsync(length, cancellationToken);
    }

    private static void Answer(UploadCall call, UploadSession session)
    {
        call.AddStatus(session.Status);
        if (call.Response.StatusCode == StatusCodes.Status201Created)
        {
            call.Response.ContentLength = 0;
        }
    }
}
