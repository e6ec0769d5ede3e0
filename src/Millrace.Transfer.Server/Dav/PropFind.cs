using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>PROPFIND: the properties of a file, or of a folder and the names in it (RFC 4918, section 9.1).</summary>
internal sealed class PropFind(IFileStore store)
{
    /// <summary>Bytes of a page of names at the beginning; it grows once.</summary>
    private const int PieceBytes = 64 * 1024;

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        bool withMembers = ReadDepth(context.Request);
        bool isFolder = target.IsFolder || target.Name.IsRoot || withMembers;
        TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, isFolder ? TransferOperation.List : TransferOperation.Stat, target.Name);
        try
        {
            CancellationToken aborted = context.RequestAborted;
            PropertyQuery query = PropertyQuery.Parse(await DavDocument.ReadBodyAsync(context));
            StoredFile? file = target.Name.IsRoot ? null : await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted);
            if (file is not null && target.IsFolder)
            {
                throw Errors.NoFolder(target.Name);
            }

            if (file is null && !isFolder)
            {
                // Only callers with the list scope see a folder's content.
                pass.Dispose();
                pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.List, target.Name);
            }

            if (file is null && !await pass.Store.FolderExistsAsync(target.Name, aborted))
            {
                throw Errors.NothingThere(target.Name);
            }

            await SendAsync(context, pass, target.Name, file, query, withMembers && file is null);
        }
        finally
        {
            pass.Dispose();
        }
    }

    private static bool ReadDepth(HttpRequest request) => request.Headers["Depth"].ToString() switch
    {
        "0" => false,
        "1" => true,
        "" or "infinity" or "Infinity" => throw new Refusal(
            TransferError.Forbidden, "A PROPFIND of everything below a folder is not answered. Send Depth: 0 or 1.")
        {
            DavCondition = "propfind-finite-depth",
        },
        _ => throw Errors.Invalid("The field Depth of a PROPFIND is 0 or 1."),
    };

    private async Task SendAsync(
        HttpContext context, TransferPass pass, TransferName name, StoredFile? file, PropertyQuery query, bool withMembers)
    {
        CancellationToken aborted = context.RequestAborted;
        WriteLocks.Index? locks = null;
        PropertyDocument dead = new();
        DeadProperty[] own = [];
        if (pass.State is { } state)
        {
            locks = await state.Locks.LookAsync(aborted);
            own = await state.Properties.OfAsync(name, aborted);
            dead = withMembers ? await state.Properties.OfFolderAsync(name, aborted) : dead;
        }

        ListFilesOptions wanted = new() { Folder = name, OmitDigests = true };
        TransferGuard guard = TransferGuard.Of(context);

        // Before the response begins: a folder that cannot be listed is refused.
        FilePage? page = withMembers ? await guard.Limits.ListAsync(pass.Store, wanted, aborted) : null;
        bool wantsSpace = query.Live.Any(static one => one.Kind is LiveKind.Available or LiveKind.Used);
        StoreSpace space = wantsSpace ? pass.Store.Space : default;
        HttpResponse response = context.Response;
        response.StatusCode = StatusCodes.Status207MultiStatus;
        response.ContentType = DavAnswer.MediaType;
        response.Headers["DAV"] = DavAnswer.ClassesOf(store);
        response.Headers.CacheControl = "no-cache";
        response.Headers.XContentTypeOptions = "nosniff";
        FileFields.PassOn(response.Headers);
        var xml = new DavWriter(new ArrayBufferWriter<byte>(page is null ? 2048 : PieceBytes));
        xml.Raw(DavWriter.Head);
        xml.Raw("<D:multistatus xmlns:D=\"DAV:\">\n"u8);
        var writer = new PropertyWriter(
            xml, FileTarget.HrefPrefixOf(context), name.IsRoot ? TitleOf(context) : "", query, locks, space, () => pass.Now);
        FileTime changed = file?.Modified ?? FindTime(page) ?? pass.Now;
        writer.Write(new FileEntry(name, file, changed), own);
        await using var connection = new BodyStream(response.BodyWriter);
        while (page is not null)
        {
            foreach (FileEntry entry in page.Entries)
            {
                writer.Write(entry, dead.Names.Count > 0 && dead.Names.TryGetValue(entry.Name.FileName, out DeadProperty[]? found) ? found : []);
            }

            if (page.Next.IsRoot)
            {
                break;
            }

            await connection.WriteAsync(xml.Written, aborted);
            xml.Clear();
            page = await guard.Limits.ListAsync(pass.Store, wanted with { After = page.Next }, aborted);
        }

        xml.Raw("</D:multistatus>"u8);
        await connection.WriteAsync(xml.Written, aborted);
    }

    /// <summary>What clients call the root: the name of the folder that is served, or the end of the path at which it is.</summary>
    private string TitleOf(HttpContext context) =>
        store.Title() is { Length: > 0 } title ? title : FileTarget.PrefixOf(context).Split('/')[^1];

    /// <summary>The newest time of the listed entries: a store reports no time for a single folder.</summary>
    private static FileTime? FindTime(FilePage? page) => page is { Entries: [_, ..] entries } ? entries.Max(static entry => entry.Modified.ToDateTimeOffset()) : null;
}
