namespace Millrace.Transfer.Server;

/// <summary>Replaces a folder that has the new name of a COPY or MOVE.</summary>
internal static class FolderReplacement
{
    /// <summary>Rejects a file name that ends with a slash, unless the file replaces a folder of that name.</summary>
    public static async ValueTask ThrowIfNoFileNameAsync(
        IFileStore store, FileTarget target, bool mayReplaceFolder, CancellationToken cancellationToken)
    {
        if (target.Name.IsRoot
            || (target.IsFolder && !(mayReplaceFolder && await store.FolderExistsAsync(target.Name, cancellationToken))))
        {
            FileUpload.ThrowIfFolder(target);
        }
    }

    /// <summary>Deletes the target if the store cannot replace it in one step: a folder, or a file for a folder.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">The store.</param>
    /// <param name="target">The new name.</param>
    /// <param name="isFolder">Whether a folder gets it.</param>
    /// <param name="mayReplace">Whether the request allows it.</param>
    /// <param name="isExplicit">Whether it does so explicitly: see <see cref="Destination.MayReplace"/>.</param>
    /// <returns>Whether something had the name.</returns>
    public static async ValueTask<bool> PrepareAsync(
        HttpContext context, IFileStore store, TransferName target, bool isFolder, bool mayReplace, bool isExplicit)
    {
        CancellationToken aborted = context.RequestAborted;
        bool isFile = await store.FindAsync(target, DigestNeed.IfKnown, aborted) is not null;
        bool hasFolder = !isFile && await store.FolderExistsAsync(target, aborted);
        if ((!isFile && !hasFolder) || (isFile && !isFolder))
        {
            return isFile && mayReplace;
        }

        if (!mayReplace || !isExplicit)
        {
            throw new Refusal(TransferError.AlreadyExists, $"Something has the name '{target}' already. Choose another one.", target.Value)
            {
                Status = mayReplace ? StatusCodes.Status409Conflict : StatusCodes.Status412PreconditionFailed,
            };
        }

        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.ReplaceFolder, target);
        using (await pass.BeginAsync(target, LockUse.Membership | LockUse.Below, aborted))
        {
            _ = await StoreConflict.AskAsync(
                hasFolder ? pass.Store.DeleteFolderAsync(target, default, aborted) : pass.Store.DeleteAsync(target, default, aborted), default);
        }

        await pass.ForgetAsync(target);
        return true;
    }
}
