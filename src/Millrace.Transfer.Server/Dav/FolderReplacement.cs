namespace Millrace.Transfer.Server;

/// <summary>
/// COPY or MOVE in the place of a folder, or of a folder in the place of a file, which no store replaces in one step: the new one is made beside
/// the old one, which is deleted only then. Whatever cannot be read or moved leaves the old one as it was.
/// </summary>
internal sealed class FolderReplacement : IDisposable
{
    private readonly TransferPass _pass;
    private readonly TransferName _target;
    private readonly bool _hasFolder;
    private readonly bool _isFolder;
    private bool _isDeleted;

    private FolderReplacement(TransferPass pass, TransferName target, bool hasFolder, bool isFolder)
    {
        _pass = pass;
        _target = target;
        _hasFolder = hasFolder;
        _isFolder = isFolder;
        string suffix = $".new-{RandomNumberGenerator.GetHexString(8, lowercase: true)}";
        TransferName folder = target.Folder;
        Stage = TransferName.TryParse($"{target.Value}{suffix}", out TransferName beside) && pass.Store.Names.Has(beside)
            ? beside
            : folder.Append($"millrace{suffix}");
    }

    /// <summary>Where the new one is made. Everybody sees it, as after a failure of the server in between.</summary>
    public TransferName Stage { get; }

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

    /// <summary>Prepares for a target that the store cannot replace in one step: a folder, or a file for a folder.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">The store.</param>
    /// <param name="target">The new name.</param>
    /// <param name="isFolder">Whether a folder gets it.</param>
    /// <param name="mayReplace">Whether the request allows it.</param>
    /// <param name="isExplicit">Whether it does so explicitly: see <see cref="Destination.MayReplace"/>.</param>
    /// <returns>Whether something has the name, and how it is replaced; null if the store does that.</returns>
    public static async ValueTask<(bool Replaces, FolderReplacement? Whole)> BeginAsync(
        HttpContext context, IFileStore store, TransferName target, bool isFolder, bool mayReplace, bool isExplicit)
    {
        CancellationToken aborted = context.RequestAborted;
        bool isFile = await store.FindAsync(target, DigestNeed.IfKnown, aborted) is not null;
        bool hasFolder = !isFile && await store.FolderExistsAsync(target, aborted);
        if ((!isFile && !hasFolder) || (isFile && !isFolder))
        {
            return (isFile && mayReplace, null);
        }

        if (!mayReplace || !isExplicit)
        {
            throw new Refusal(TransferError.AlreadyExists, $"Something has the name '{target}' already. Choose another one.", target.Value)
            {
                Status = mayReplace ? StatusCodes.Status409Conflict : StatusCodes.Status412PreconditionFailed,
            };
        }

        TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.ReplaceFolder, target);
        try
        {
            // Checked again when it is deleted; nothing large is copied in vain.
            (await pass.BeginAsync(target, LockUse.Membership | LockUse.Below, aborted)).Dispose();
            return (true, new FolderReplacement(pass, target, hasFolder, isFolder));
        }
        catch
        {
            pass.Dispose();
            throw;
        }
    }

    /// <summary>Deletes the old one, and gives its name to the new one.</summary>
    /// <param name="copyAsync">Copies a folder, for a store that cannot move one.</param>
    /// <param name="cancellationToken">Until the old one begins to be deleted.</param>
    /// <returns>The new file; null for a folder.</returns>
    public async ValueTask<StoredFile?> FinishAsync(Func<TransferName, TransferName, Task>? copyAsync, CancellationToken cancellationToken)
    {
        StoredFile? file;
        using (await _pass.BeginAsync(_target, LockUse.Membership | LockUse.Below, cancellationToken))
        {
            try
            {
                _ = await StoreConflict.AskAsync(
                    _hasFolder
                        ? _pass.Store.DeleteFolderAsync(_target, default, CancellationToken.None)
                        : _pass.Store.DeleteAsync(_target, default, CancellationToken.None),
                    default);
            }
            catch (Exception failure) when (
                failure is not (Refusal or TransferException { Error: TransferError.PreconditionFailed or TransferError.Forbidden }))
            {
                // A bucket may have deleted a part of it, so that the new one stays.
                _isDeleted = true;
                throw;
            }

            _isDeleted = true;
            if (copyAsync is null)
            {
                file = await StoreConflict.AskAsync(
                    _pass.Store.MoveAsync(Stage, _target, new MoveOptions { IncludeHidden = true }, CancellationToken.None),
                    new WritePrecondition { CreateNew = true });
            }
            else
            {
                await copyAsync(Stage, _target);
                file = null;
            }
        }

        if (copyAsync is not null)
        {
            await DeleteStageAsync();
        }

        return file;
    }

    /// <summary>Forgets the locks and properties of the old one, when no change is in progress.</summary>
    public ValueTask ForgetAsync() => _pass.ForgetAsync(_target);

    /// <summary>Deletes what was made beside the old one, as long as that is there.</summary>
    public ValueTask DropAsync() => _isDeleted ? default : DeleteStageAsync();

    public void Dispose() => _pass.Dispose();

    private async ValueTask DeleteStageAsync()
    {
        IFileStore store = _pass.Store.WithoutTrash();
        try
        {
            _ = _isFolder
                ? await store.DeleteFolderAsync(Stage, new DeleteFolderOptions { IncludeHidden = true }, CancellationToken.None)
                : await store.DeleteAsync(Stage, default, CancellationToken.None);
        }
        catch (TransferException)
        {
            // The reason for the failure is reported, and what cannot be deleted stays visible.
        }
    }
}
