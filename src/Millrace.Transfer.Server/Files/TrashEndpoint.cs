using System.Globalization;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Lists the trash, restores its entries and deletes them for good.</summary>
internal sealed class TrashEndpoint(IFileStore store)
{
    public const string Path = "/trash";

    private const string OnAll = "GET, HEAD, DELETE";
    private const string OnOne = "POST, DELETE";

    public Task HandleAsync(HttpContext context)
    {
        context.Response.Headers.CacheControl = "no-store";
        return Problems.RunAsync(context, DispatchAsync);
    }

    private Task DispatchAsync(HttpContext context)
    {
        IFileTrash trash = store.Trash ?? throw new TransferException(
            TransferError.NotFound, "This server keeps no deleted files. Its owner can change that.");
        string method = context.Request.Method;
        string? id = context.Request.RouteValues["id"] as string;
        return (HttpMethods.IsGet(method) || HttpMethods.IsHead(method)) && id is null ? ListAsync(context)
            : HttpMethods.IsDelete(method) ? id is null ? EmptyAsync(context) : DeleteAsync(context, trash, id)
            : HttpMethods.IsPost(method) && id is not null ? RestoreAsync(context, trash, id)
            : throw new Refusal(TransferError.InvalidRequest, $"Methods of the trash: {(id is null ? OnAll : OnOne)}.")
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = HeaderNames.Allow,
                FieldValue = id is null ? OnAll : OnOne,
            };
    }

    private async Task ListAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        string limit = query["limit"].ToString();
        if (!int.TryParse(limit.Length == 0 ? "1000" : limit, NumberStyles.None, CultureInfo.InvariantCulture, out int count)
            || count is < 1 or > ListTrashOptions.DefaultPageSize)
        {
            throw Errors.Invalid($"'limit' is a number from 1 to {ListTrashOptions.DefaultPageSize}.");
        }

        TransferName prefix = PrefixOf(query);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.ListTrash, prefix);
        string after = query["after"].ToString();
        TrashPage page = await pass.Store.Trash!.ListAsync(
            new ListTrashOptions { Prefix = prefix, After = after.Length == 0 ? null : after, PageSize = count }, context.RequestAborted);
        await JsonAnswer.WriteAsync(
            context,
            new TrashDocument { Entries = [.. page.Entries.Select(Describe)], Next = page.Next },
            TransferJson.Default.TrashDocument);
    }

    private async Task RestoreAsync(HttpContext context, IFileTrash trash, string id)
    {
        TrashRestoreDocument wanted = await JsonAnswer.ReadAsync(context, TransferJson.Default.TrashRestoreDocument);
        TransferName name = wanted.Name is { } text ? TransferName.Parse(text) : default;
        TrashEntry? entry = await FindAsync(context, trash, id);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, TransferOperation.Restore, entry?.Name ?? default, name.IsRoot ? null : name);
        if (entry is null)
        {
            throw TrashRules.NotFound(id);
        }

        TransferName restored = await pass.Store.Trash!.RestoreAsync(id, name, context.RequestAborted);
        await JsonAnswer.WriteAsync(context, new TrashRestoredDocument { Name = restored.Value }, TransferJson.Default.TrashRestoredDocument);
    }

    private async Task DeleteAsync(HttpContext context, IFileTrash trash, string id)
    {
        TrashEntry? entry = await FindAsync(context, trash, id);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, TransferOperation.Delete, entry?.Name ?? default);
        if (entry is null || !await pass.Store.Trash!.DeleteAsync(id, context.RequestAborted))
        {
            throw TrashRules.NotFound(id);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task EmptyAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        TransferName prefix = PrefixOf(query);
        string older = query["older"].ToString();
        if (!long.TryParse(older.Length == 0 ? "0" : older, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds)
            || seconds > (long)TimeSpan.FromDays(36500).TotalSeconds)
        {
            throw Errors.Invalid("'older' is a number of seconds.");
        }

        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await guard.EnterAsync(context, store, TransferOperation.EmptyTrash, prefix);
        IFileTrash trash = pass.Store.Trash!;
        DateTimeOffset end = older.Length == 0 ? DateTimeOffset.MaxValue : guard.Now - TimeSpan.FromSeconds(seconds);
        int deleted = 0;
        string? after = null;
        do
        {
            TrashPage page = await trash.ListAsync(new ListTrashOptions { Prefix = prefix, After = after }, context.RequestAborted);
            foreach (TrashEntry entry in page.Entries.Where(entry => entry.Deleted <= end))
            {
                deleted += await trash.DeleteAsync(entry.Id, context.RequestAborted) ? 1 : 0;
            }

            after = page.Next;
        }
        while (after is not null);
        await JsonAnswer.WriteAsync(context, new TrashEmptiedDocument { Deleted = deleted }, TransferJson.Default.TrashEmptiedDocument);
    }

    /// <summary>An unknown sender must not cause requests to a bucket.</summary>
    private async ValueTask<TrashEntry?> FindAsync(HttpContext context, IFileTrash trash, string id) =>
        await TransferGuard.Of(context).CanQueryStatusAsync(context, store) ? await trash.FindAsync(id, context.RequestAborted) : null;

    private static TransferName PrefixOf(IQueryCollection query)
    {
        string text = query["name"].ToString().TrimEnd('/');
        return text.Length == 0 ? default : TransferName.Parse(text);
    }

    private static TrashEntryDocument Describe(TrashEntry entry) => new()
    {
        Id = entry.Id,
        Name = entry.Name.Value,
        IsFolder = entry.IsFolder,
        Length = entry.Bytes,
        Deleted = entry.Deleted,
        By = entry.DeletedBy,
        IsReplaced = entry.IsReplaced,
    };
}
