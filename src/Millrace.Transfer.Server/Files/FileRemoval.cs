namespace Millrace.Transfer.Server;

/// <summary>
/// DELETE of a file, or of a folder: with everything in it if its path ends with a slash, as RFC 4918, section 9.6.1, has it, and only if it is
/// empty without one, or with <c>Depth: 0</c>.
/// </summary>
internal sealed class FileRemoval(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        bool withContent = target.IsFolder && context.Request.Headers["Depth"].ToString() is var depth
            && (depth.Length == 0 || depth.Equals("infinity", StringComparison.OrdinalIgnoreCase));
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
        bool deleted = false;
        if (!(target.IsFolder && present is not null))
        {
            try
            {
                using TransferPass.Change change = await pass.BeginAsync(
                    target.Name, withContent ? LockUse.Membership | LockUse.Below : LockUse.Membership, aborted);
                deleted = await StoreConflict.AskAsync(
                    withContent
                        ? pass.Store.DeleteFolderAsync(
                            target.Name, new DeleteFolderOptions { IncludeHidden = HiddenFiles.AreIncluded(context.Request) }, aborted)
                        : pass.Store.DeleteAsync(target.Name, precondition, aborted),
                    precondition);
            }
            catch (TransferException exception) when (FindLockedMember(exception, target.Name) is { } member)
            {
                await DavAnswer.SendFailuresAsync(context, [(member, false, StatusCodes.Status423Locked)]);
                return;
            }
        }

        if (!deleted)
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no '{target.Name}' to delete.", target.Name.Value);
        }

        await pass.ForgetAsync(target.Name);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    /// <summary>The locked name in a folder that keeps the folder from being deleted.</summary>
    public static TransferName? FindLockedMember(TransferException exception, TransferName folder) =>
        exception.Status == StatusCodes.Status423Locked && TransferName.TryParse(exception.Name, out TransferName name)
            && name != folder && name.IsIn(folder)
            ? name
            : null;
}
