namespace Millrace.Transfer.Server;

/// <summary>POST FOLDER/?clone and POST FOLDER/?exchange: a new version of a whole folder in one step. docs/protocol.md describes them.</summary>
internal sealed class FolderVersions(IFileStore store)
{
    public const string CloneQuery = "clone";
    public const string ExchangeQuery = "exchange";

    public async Task AnswerAsync(HttpContext context, FileTarget source)
    {
        TransferGuard guard = TransferGuard.Of(context);
        FileTarget target = Destination.Read(context, guard.Options.PublicUrl);
        bool isClone = context.Request.Query.ContainsKey(CloneQuery);
        using TransferPass pass = await guard.EnterAsync(
            context, store, isClone ? TransferOperation.CloneFolder : TransferOperation.Move, source.Name, target.Name);
        CancellationToken aborted = context.RequestAborted;
        if (pass.Store is not IFolderClones folders)
        {
            throw new Refusal(
                TransferError.InvalidRequest, "This server cannot publish a whole folder in one step: a bucket has no such operation. Do it without.")
            {
                Status = StatusCodes.Status409Conflict,
            };
        }

        HttpResponse response = context.Response;
        if (isClone)
        {
            using TransferPass.Change making = await pass.BeginAsync(target.Name, LockUse.Membership, aborted);
            ClonedFolder clone = await folders.CloneFolderAsync(source.Name, target.Name, aborted);
            response.StatusCode = clone.IsNew ? StatusCodes.Status201Created : StatusCodes.Status200OK;
            response.Headers.ETag = clone.Tag.ToString();
            response.Headers.Location = target.Location.TrimEnd('/') + clone.Name.Value[target.Name.Value.Length..] + "/";
            response.ContentLength = 0;
            return;
        }

        WritePrecondition precondition = context.Request.Headers.IfMatch is { Count: > 0 } match
            ? WriteConditions.ReadMatch(match, source.Name)
            : default;
        using TransferPass.Change replacing = await pass.BeginAsync(source.Name, LockUse.Membership | LockUse.Below, aborted);
        using TransferPass.Change removing = await pass.BeginAsync(target.Name, LockUse.Membership | LockUse.Below, aborted);
        await folders.ExchangeFoldersAsync(source.Name, target.Name, precondition, aborted);
        response.StatusCode = StatusCodes.Status204NoContent;
    }
}
