using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Stat, List, Search, Delete, Move and CreateFolder.</summary>
internal static class GrpcFiles
{
    /// <summary>Entries that are asked of the store at once.</summary>
    private const int PageSize = ListFilesOptions.DefaultPageSize;

    public static async Task StatAsync(GrpcCall call)
    {
        StatRequest request = await call.ReadAsync(StatRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        using TransferPass pass = await call.EnterAsync(TransferOperation.Stat, name);
        StoredFile file = await call.Store
            .FindAsync(name, request.WantSha256 ? DigestNeed.Always : DigestNeed.IfKnown, call.Ended) ?? throw Errors.NoFile(name);
        await call.Answer.SendAsync(GrpcMapping.ToMessage(file));
    }

    public static async Task DeleteAsync(GrpcCall call)
    {
        DeleteRequest request = await call.ReadAsync(DeleteRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        using TransferPass pass = await call.EnterAsync(
            request.Recursive ? TransferOperation.DeleteFolder : TransferOperation.Delete, name);
        WritePrecondition precondition = GrpcValues.Precondition(request.Precondition);
        if (request.Recursive && !precondition.IsNone)
        {
            throw Errors.Invalid("A folder has no version. Leave 'precondition' out to delete it with everything in it.", name.Value);
        }

        bool deleted;
        using (await pass.BeginAsync(name, LockUse.Membership | LockUse.Below, call.Ended))
        {
            deleted = request.Recursive
                ? await call.Store.DeleteFolderAsync(
                    name, new DeleteFolderOptions { IncludeHidden = request.IncludeHidden }, call.Ended)
                : await call.Store.DeleteAsync(name, precondition, call.Ended);
        }

        if (deleted)
        {
            await pass.ForgetAsync(name);
        }

        await call.Answer.SendAsync(new DeleteResponse { Deleted = deleted });
    }

    public static async Task MoveAsync(GrpcCall call)
    {
        MoveRequest request = await call.ReadAsync(MoveRequest.Parser);
        TransferName from = TransferName.Parse(request.From);
        TransferName to = TransferName.Parse(request.To);
        using TransferPass pass = await call.EnterAsync(TransferOperation.Move, from, to);
        var options = new MoveOptions
        {
            Source = GrpcValues.Precondition(request.Precondition),
            Replace = request.Replace,
            IncludeHidden = request.IncludeHidden,
        };
        var answer = new MoveResponse();
        using (await pass.BeginAsync(from, LockUse.Membership | LockUse.Below, call.Ended))
        using (await pass.BeginAsync(to, LockUse.Membership, call.Ended))
        {
            if (await call.Store.MoveAsync(from, to, options, call.Ended) is { } file)
            {
                answer.File = GrpcMapping.ToMessage(file);
            }
        }

        await pass.ForgetMovedAsync(from, to);
        await call.Answer.SendAsync(answer);
    }

    public static async Task CreateFolderAsync(GrpcCall call)
    {
        CreateFolderRequest request = await call.ReadAsync(CreateFolderRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        using TransferPass pass = await call.EnterAsync(TransferOperation.CreateFolder, name);
        using (await pass.BeginAsync(name, LockUse.Membership, call.Ended))
        {
            await call.Store.CreateFolderAsync(name, call.Ended);
        }

        await call.Answer.SendAsync(new CreateFolderResponse());
    }

    public static async Task ListAsync(GrpcCall call)
    {
        ListRequest request = await call.ReadAsync(ListRequest.Parser);
        TransferName folder = GrpcValues.Folder(request.Folder);
        TransferName after = GrpcValues.Folder(request.After);
        if (request.Limit < 0)
        {
            throw Errors.Invalid("'limit' is a number of entries, or 0 for all of them.", folder.Value);
        }

        using TransferPass pass = await call.EnterAsync(TransferOperation.List, folder);
        long left = request.Limit == 0 ? long.MaxValue : request.Limit;
        bool hasBegun = false;
        do
        {
            FilePage page = await TransferGuard.Of(call.Context).Limits
                .ListAsync(
                    call.Store,
                    new ListFilesOptions
                    {
                        Folder = folder,
                        Recursive = request.Recursive,
                        After = after,
                        OmitDigests = request.OmitDigests,
                        PageSize = (int)Math.Min(left, PageSize),
                    },
                    call.Ended);
            if (!hasBegun)
            {
                // Not before: a missing folder is reported without beginning the answer.
                hasBegun = true;
                await call.Answer.BeginAsync();
            }

            foreach (FileEntry entry in page.Entries)
            {
                await call.Answer.WriteManyAsync(ToMessage(entry));
            }

            call.Answer.Omitted += page.Omitted;
            left -= page.Entries.Count;
            after = page.Next;
        }
        while (left > 0 && !after.IsRoot);
    }

    public static async Task SearchAsync(GrpcCall call)
    {
        SearchRequest request = await call.ReadAsync(SearchRequest.Parser);
        TransferName folder = GrpcValues.Folder(request.Folder);
        using TransferPass pass = await call.EnterAsync(TransferOperation.Walk, folder);
        bool hasBegun = false;
        await foreach (FoundNames found in FoundNames.FindAsync(
            TransferGuard.Of(call.Context), call.Store, folder, request.Text, FoundNames.CheckLimit(request.Limit, folder), call.Ended))
        {
            if (!hasBegun)
            {
                // Not before: a missing folder is reported without beginning the answer.
                hasBegun = true;
                await call.Answer.BeginAsync();
            }

            var message = new SearchResponse { Searched = found.Searched, Complete = found.IsComplete, More = found.HasMore };
            if (found.IsComplete)
            {
                message.Omitted = found.Omitted;
            }

            message.Entries.AddRange(found.Entries.Select(static entry => ToMessage(entry)));
            await call.Answer.WriteManyAsync(message);
            await call.Answer.FlushAsync();
        }
    }

    private static ListEntry ToMessage(in FileEntry entry)
    {
        var message = new ListEntry { Name = entry.Name.Value, IsFolder = entry.IsFolder };
        if (entry.File is { } file)
        {
            message.File = GrpcMapping.ToMessage(file);
        }

        return message;
    }
}
