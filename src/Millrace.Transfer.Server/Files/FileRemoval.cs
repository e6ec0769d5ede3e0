namespace Millrace.Transfer.Server;

/// <summary>DELETE of a file or an empty folder; with <c>Depth: infinity</c>, of a folder with everything in it.</summary>
internal sealed class FileRemoval(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        bool withContent = target.IsFolder
            && context.Request.Headers["Depth"].ToString().Equals("infinity", StringComparison.OrdinalIgnoreCase);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, withContent ? TransferOperation.DeleteFolder : TransferOperation.Delete, target.Name);
        if (target.Name.IsRoot)
        {
            throw new Refusal(
                TransferError.InvalidName,
                "The root of a store cannot be deleted. Name a file or an empty folder.")
            {
                Status = StatusCodes.Status409Conflict,
            };
        }

        CancellationToken aborted = context.RequestAborted;
        StoredFile? present = await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted);
        WritePrecondition precondition = WriteConditions.Read(context.Request, target.Name, present);

        // A path with a trailing slash is that of a folder, not of a file.
        bool deleted = !(target.IsFolder && present is not null)
            && await StoreConflict.AskAsync(
                withContent
                    ? pass.Store.DeleteFolderAsync(target.Name, aborted)
                    : pass.Store.DeleteAsync(target.Name, precondition, aborted),
                precondition);
        if (!deleted)
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no '{target.Name}' to delete.", target.Name.Value);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }
}
