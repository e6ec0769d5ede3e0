namespace Millrace.Transfer.Server;

/// <summary>
/// GET and HEAD of a folder: a listing for programs or for people, or all of it as one file. POST: some of it as one file, because
/// the names of many files are more than a URL can have.
/// </summary>
internal sealed class FolderDownload(IFileStore store, TransferServerOptions options)
{
    private readonly FolderListing _listing = new(options);

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        IQueryCollection query = context.Request.Query;
        bool isArchive = query.ContainsKey(FolderArchive.Query);
        bool isWalk = !isArchive && FolderWalks.IsFor(query);
        TransferOperation operation = isWalk ? TransferOperation.Walk
            : !isArchive ? TransferOperation.List
            : HttpMethods.IsHead(context.Request.Method) ? TransferOperation.StatArchive
            : TransferOperation.Archive;
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, operation, target.Name);
        if (!target.IsFolder)
        {
            // The root without its slash.
            FolderRedirect.Answer(context, target);
            return;
        }

        if (isWalk && (query.ContainsKey(FolderWalks.UsageQuery) || !FolderListing.WantsPage(context.Request.Headers.Accept)))
        {
            await FolderWalks.AnswerAsync(context, pass.Store, target.Name);
            return;
        }

        if (!isArchive)
        {
            await _listing.AnswerAsync(context, pass.Store, target.Name);
            return;
        }

        if (!options.Archives)
        {
            throw new TransferException(
                TransferError.NotFound,
                $"This server does not send folders as archives. Get the files of '{target.Name}/' one by one.",
                target.Name.Value);
        }

        IEnumerable<(TransferName Child, bool IsFolder)>? chosen = null;
        if (HttpMethods.IsPost(context.Request.Method))
        {
            if (!await pass.Store.FolderExistsAsync(target.Name, context.RequestAborted))
            {
                throw Errors.NoFolder(target.Name);
            }

            chosen = await FolderArchive.ReadChosenAsync(context, store.Names, target.Name);
        }

        await FolderArchive.AnswerAsync(context, target.Name, chosen, pass);
    }
}
