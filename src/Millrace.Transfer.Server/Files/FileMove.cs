namespace Millrace.Transfer.Server;

/// <summary>MOVE of a file or folder (RFC 4918, section 9.9).</summary>
internal sealed class FileMove(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget source)
    {
        TransferGuard guard = TransferGuard.Of(context);
        FileTarget target = Destination.Read(context, guard.Options.PublicUrl);
        bool mayReplace = Destination.MayReplace(context.Request, out bool isExplicit);
        using TransferPass pass = await guard.EnterAsync(context, store, TransferOperation.Move, source.Name, target.Name);
        CancellationToken aborted = context.RequestAborted;
        StoredFile? file = source.Name.IsRoot ? null : await pass.Store.FindAsync(source.Name, DigestNeed.IfKnown, aborted);
        if (source.Name.IsRoot)
        {
            throw new Refusal(TransferError.InvalidName, "The root of a store cannot be moved. Name a file or folder.")
            {
                Status = StatusCodes.Status409Conflict,
            };
        }

        if (file is not null)
        {
            await FolderReplacement.ThrowIfNoFileNameAsync(pass.Store, target, mayReplace && isExplicit, aborted);
            if (source.IsFolder)
            {
                throw Errors.NoFolder(source.Name);
            }
        }

        var options = new MoveOptions
        {
            Source = WriteConditions.Read(context.Request, source.Name, file),
            Replace = mayReplace,
            IncludeHidden = HiddenFiles.AreIncluded(context.Request),
        };
        (bool replaces, FolderReplacement? whole) = await ReplaceAsync(
            context, pass.Store, source.Name, target.Name, isFolder: file is null, mayReplace, isExplicit);
        using FolderReplacement? replacement = whole;
        StoredFile? moved;
        try
        {
            using TransferPass.Change removing = await pass.BeginAsync(source.Name, LockUse.Membership | LockUse.Below, aborted);
            using TransferPass.Change adding = await pass.BeginAsync(
                target.Name, replaces ? LockUse.Content : LockUse.Membership, aborted);
            moved = await StoreConflict.AskAsync(
                pass.Store.MoveAsync(source.Name, replacement?.Stage ?? target.Name, options, aborted), new WritePrecondition { CreateNew = !mayReplace });
            if (replacement is not null)
            {
                moved = await FinishAsync(replacement, pass.Store, source.Name, aborted);
            }
        }
        catch (TransferException exception) when (FileRemoval.FindLockedMember(exception, source.Name) is { } member)
        {
            await DavAnswer.SendFailuresAsync(context, [(member, false, StatusCodes.Status423Locked)]);
            return;
        }

        if (replacement is not null)
        {
            await replacement.ForgetAsync();
        }

        await pass.ForgetMovedAsync(source.Name, target.Name);
        FileUpload.Answer(context, target, moved, isNew: !replaces);
    }

    /// <summary>Moves it from beside the old one to its name, or back if the old one cannot be deleted.</summary>
    private static async ValueTask<StoredFile?> FinishAsync(
        FolderReplacement replacement, IFileStore store, TransferName source, CancellationToken cancellationToken)
    {
        try
        {
            return await replacement.FinishAsync(copyAsync: null, cancellationToken);
        }
        catch
        {
            await store.MoveAsync(replacement.Stage, source, new MoveOptions { IncludeHidden = true }, CancellationToken.None);
            throw;
        }
    }

    /// <summary>Prepares to replace something by the moved file or folder, if it exists and its name changes.</summary>
    private async ValueTask<(bool Replaces, FolderReplacement? Whole)> ReplaceAsync(
        HttpContext context, IFileStore view, TransferName from, TransferName to, bool isFolder, bool mayReplace, bool isExplicit)
    {
        CancellationToken aborted = context.RequestAborted;
        if (!isExplicit || to.IsRoot || from.IsIn(to) || to.IsIn(from)
            || (isFolder && (!view.CanMoveFolders || !await view.FolderExistsAsync(from, aborted))))
        {
            return (mayReplace && await view.FindAsync(to, DigestNeed.IfKnown, aborted) is not null, null);
        }

        return await FolderReplacement.BeginAsync(context, store, to, isFolder, mayReplace, isExplicit);
    }
}
