using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>The draft: any request with <c>Upload-Complete</c> that brings a file, to the file's own URL or to the uploads.</summary>
internal static class DraftCreation
{
    /// <summary>POST to the uploads, for clients that only know these: the name is said in a field.</summary>
    public static Task CreateNamedAsync(UploadCall call)
    {
        string field = call.Request.Headers[TransferHeaders.UploadMetadata].ToString();
        if (field.Length == 0)
        {
            return CreateAsync(call, UploadNames.Choose(call.Request), metadata: null);
        }

        return TusMetadata.TryParse(field, out TusMetadata metadata, out string why)
            ? CreateAsync(call, UploadNames.Choose(metadata), field)
            : throw new TransferException(TransferError.InvalidRequest, $"Upload-Metadata cannot be read: {why}.");
    }

    /// <summary>Begins an upload, tells where it can be continued, and takes what comes.</summary>
    public static async Task CreateAsync(UploadCall call, TransferName name, string? metadata)
    {
        using TransferPass pass = await TransferGuard.Of(call.Context)
            .EnterAsync(call.Context, TransferScope.Write, name, isTransfer: true)
            .ConfigureAwait(false);
        DraftRequest request = DraftRequest.Read(call, offset: 0);
        using ContentCheck? check = ContentCheck.Read(call.Request);
        UploadStatus status = await call.Store
            .StartUploadAsync(
                new StartUploadOptions
                {
                    Name = name,
                    Length = request.Length,
                    Precondition = await UploadLookup.ReadPreconditionAsync(call, name).ConfigureAwait(false),
                    Metadata = metadata,
                    Expected = UploadCompletion.ReadDigest(call.Request),
                    Owner = pass.Owner,
                },
                call.Context.RequestAborted)
            .ConfigureAwait(false);
        string location = call.UrlOf(status.Id);
        bool isKnown = false;
        bool isNew;
        try
        {
            isKnown = await InterimResponse
                .TrySendAsync(call.Context, location, UploadAnswers.LimitOf(call, status))
                .ConfigureAwait(false);
            (status, isNew) = await DraftAppend.TakeAsync(call, status, request, check, pass).ConfigureAwait(false);
        }
        catch when (!isKnown)
        {
            // Nobody was told where it is, so nobody could continue it.
            await call.Store.AbortUploadAsync(status.Id, CancellationToken.None).ConfigureAwait(false);
            throw;
        }

        // The same Location as in the interim response: clients compare them. Where the file is, Content-Location says.
        call.Response.StatusCode = call.HasAll && !isNew ? StatusCodes.Status204NoContent : StatusCodes.Status201Created;
        call.Response.Headers.Location = location;
        DraftAppend.AddFields(call, status);
    }
}
