using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>MKCOL: a new folder (RFC 4918, section 9.3).</summary>
internal sealed class FolderCreation(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.CreateFolder, target.Name);
        if (context.Request.ContentLength > 0 || context.Request.Headers.TransferEncoding.Count > 0)
        {
            throw new Refusal(
                TransferError.InvalidRequest, "A new folder is empty. Send MKCOL without a body.", target.Name.Value)
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            };
        }

        try
        {
            using TransferPass.Change change = await pass.BeginAsync(target.Name, LockUse.Membership, context.RequestAborted);
            await pass.Store.CreateFolderAsync(target.Name, context.RequestAborted);
        }
        catch (TransferException exception) when (exception.Error == TransferError.AlreadyExists)
        {
            throw new Refusal(exception.Error, exception.Message, exception.Name)
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = HeaderNames.Allow,
                FieldValue = FileHandler.Allowed,
            };
        }

        context.Response.StatusCode = StatusCodes.Status201Created;
        context.Response.Headers.Location = target.Location;
        context.Response.ContentLength = 0;
    }
}
