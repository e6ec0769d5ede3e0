namespace Millrace.Transfer.Server;

/// <summary>COPY of a file, or of a folder with everything in it (RFC 4918, section 9.8).</summary>
internal sealed class FileCopy(IFileStore store)
{
    /// <summary>Members that could not be copied and that the response lists.</summary>
    private const int MaxFailures = 1000;

    public async Task AnswerAsync(HttpContext context, FileTarget source)
    {
        TransferGuard guard = TransferGuard.Of(context);
        FileTarget target = Destination.Read(context, guard.Options.PublicUrl);
        bool mayReplace = Destination.MayReplace(context.Request, out bool isExplicit);
        bool isDeep = context.Request.Headers["Depth"].ToString() switch
        {
            "0" => false,
            "" or "infinity" or "Infinity" => true,
            _ => throw Errors.Invalid("The field Depth of a COPY is 0 or infinity."),
        };
        TransferPass pass = await guard.EnterAsync(context, store, TransferOperation.Copy, source.Name, target.Name);
        try
        {
            CancellationToken aborted = context.RequestAborted;
            StoredFile? file = source.Name.IsRoot ? null : await pass.Store.FindAsync(source.Name, DigestNeed.IfKnown, aborted);
            if (file is not null && source.IsFolder)
            {
                throw Errors.NoFolder(source.Name);
            }

            if (target.Name.IsRoot || target.Name.IsIn(source.Name) || source.Name.IsIn(target.Name))
            {
                throw new Refusal(
                    TransferError.InvalidRequest, $"'{source.Name}' cannot be copied to itself, into itself or over what it is in. Choose another name.", source.Name.Value)
                {
                    Status = StatusCodes.Status403Forbidden,
                };
            }

            if (file is null)
            {
                pass.Dispose();
                pass = await guard.EnterAsync(context, store, TransferOperation.CopyFolder, source.Name, target.Name);
                if (!await pass.Store.FolderExistsAsync(source.Name, aborted))
                {
                    throw Errors.NothingThere(source.Name);
                }
            }
            else
            {
                await FolderReplacement.ThrowIfNoFileNameAsync(pass.Store, target, mayReplace && isExplicit, aborted);
            }

            MoveOptions options = new()
            {
                Source = WriteConditions.Read(context.Request, source.Name, file),
                Replace = mayReplace,
            };
            await ThrowIfNoFolderAsync(pass.Store, target.Name, aborted);
            (bool replaces, FolderReplacement? whole) = await FolderReplacement.BeginAsync(
                context, store, target.Name, isFolder: file is null, mayReplace, isExplicit);
            using FolderReplacement? replacement = whole;
            StoredFile? copied = null;
            List<(TransferName, bool, int)> failures = [];
            try
            {
                TransferName to = replacement?.Stage ?? target.Name;
                if (file is null)
                {
                    failures = await CopyFolderAsync(pass, source.Name, to, target.Name, isDeep, aborted);
                }
                else
                {
                    using TransferPass.Change change = await pass.BeginAsync(
                        to, replaces && replacement is null ? LockUse.Content : LockUse.Membership, aborted);
                    copied = await StoreConflict.AskAsync(
                        pass.Store.CopyAsync(source.Name, to, options, aborted), new WritePrecondition { CreateNew = !mayReplace });
                }

                if (replacement is not null && failures.Count == 0)
                {
                    copied = await replacement.FinishAsync(
                        file is null && !pass.Store.CanMoveFolders ? (from, name) => CopyWholeAsync(pass, from, name) : null, aborted);
                    await replacement.ForgetAsync();
                }
            }
            catch when (replacement is not null)
            {
                await replacement.DropAsync();
                throw;
            }

            if (failures.Count > 0)
            {
                if (replacement is not null)
                {
                    await replacement.DropAsync();
                }
                else
                {
                    await PassOnAsync(pass, source.Name, target.Name, withContent: isDeep);
                }

                await DavAnswer.SendFailuresAsync(context, failures);
                return;
            }

            await PassOnAsync(pass, source.Name, target.Name, withContent: file is null && isDeep);
            FileUpload.Answer(context, target, copied, isNew: !replaces);
        }
        finally
        {
            pass.Dispose();
        }
    }

    private static async ValueTask PassOnAsync(TransferPass pass, TransferName from, TransferName to, bool withContent)
    {
        if (pass.State is { } state)
        {
            await state.Properties.PassOnAsync(from, to, isCopy: true, withContent);
        }
    }

    private static async ValueTask ThrowIfNoFolderAsync(IFileStore store, TransferName name, CancellationToken cancellationToken)
    {
        if (!name.Folder.IsRoot && !await store.FolderExistsAsync(name.Folder, cancellationToken))
        {
            throw Errors.NoFolderFor(name);
        }
    }

    /// <summary>Copies a folder that has just been made, where it cannot be moved.</summary>
    private static async Task CopyWholeAsync(TransferPass pass, TransferName from, TransferName to)
    {
        if ((await CopyFolderAsync(pass, from, to, to, isDeep: true, CancellationToken.None)).Count > 0)
        {
            throw new TransferException(
                TransferError.Failed, $"Not everything has got its name '{to}'. The whole copy is '{from}'.", to.Value);
        }
    }

    /// <summary>Copies as much as possible, folder by folder, and returns the failures.</summary>
    /// <param name="pass">The request.</param>
    /// <param name="from">The folder.</param>
    /// <param name="to">The copy.</param>
    /// <param name="shown">The name that the copy gets, which failures have.</param>
    /// <param name="isDeep">Whether its content is copied too.</param>
    /// <param name="cancellationToken">Ends it.</param>
    private static async ValueTask<List<(TransferName Name, bool IsFolder, int Status)>> CopyFolderAsync(
        TransferPass pass, TransferName from, TransferName to, TransferName shown, bool isDeep, CancellationToken cancellationToken)
    {
        var failures = new List<(TransferName, bool, int)>();
        using (await pass.BeginAsync(to, LockUse.Membership, cancellationToken))
        {
            await StoreConflict.AskAsync(CreateAsync(pass.Store, to, cancellationToken), new WritePrecondition { CreateNew = true });
        }

        var folders = new Stack<TransferName>();
        if (isDeep)
        {
            folders.Push(from);
        }

        while (folders.TryPop(out TransferName folder))
        {
            ListFilesOptions wanted = new() { Folder = folder };
            FilePage page;
            do
            {
                page = await pass.Store.ListAsync(wanted, cancellationToken);
                foreach (FileEntry entry in page.Entries)
                {
                    string rest = entry.Name.Value[from.Value.Length..];
                    TransferName name = default;
                    try
                    {
                        name = TransferName.Parse(shown.Value + rest);
                        TransferName copy = TransferName.Parse(to.Value + rest);
                        using TransferPass.Change change = await pass.BeginAsync(copy, LockUse.Membership, cancellationToken);
                        if (entry.IsFolder)
                        {
                            await CreateAsync(pass.Store, copy, cancellationToken);
                            folders.Push(entry.Name);
                        }
                        else
                        {
                            await pass.Store.CopyAsync(entry.Name, copy, new MoveOptions(), cancellationToken);
                        }
                    }
                    catch (TransferException exception)
                    {
                        if (failures.Count == MaxFailures || exception.Error == TransferError.NoSpace)
                        {
                            failures.Add((name, entry.IsFolder, exception.Status ?? Problems.StatusOf(exception.Error)));
                            return failures;
                        }

                        failures.Add((name, entry.IsFolder, exception.Status ?? Problems.StatusOf(exception.Error)));
                    }
                }

                wanted = wanted with { After = page.Next };
            }
            while (!page.Next.IsRoot);
        }

        return failures;
    }

    private static async ValueTask<bool> CreateAsync(IFileStore store, TransferName folder, CancellationToken cancellationToken)
    {
        await store.CreateFolderAsync(folder, cancellationToken);
        return true;
    }
}
