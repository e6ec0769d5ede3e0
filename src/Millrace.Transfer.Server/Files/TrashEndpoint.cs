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
        _ = TrashWork.Of(store);
        string method = context.Request.Method;
        string? id = context.Request.RouteValues["id"] as string;
        return (HttpMethods.IsGet(method) || HttpMethods.IsHead(method)) && id is null ? ListAsync(context)
            : HttpMethods.IsDelete(method) ? id is null ? EmptyAsync(context) : DeleteAsync(context, id)
            : HttpMethods.IsPost(method) && id is not null ? RestoreAsync(context, id)
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

        string after = query["after"].ToString();
        TrashPage page = await TrashWork.ListAsync(
            context, store, new ListTrashOptions { Prefix = PrefixOf(query), After = after.Length == 0 ? null : after, PageSize = count },
            context.RequestAborted).FirstAsync(context.RequestAborted);
        await JsonAnswer.WriteAsync(
            context,
            new TrashDocument { Entries = [.. page.Entries.Select(Describe)], Next = page.Next },
            TransferJson.Default.TrashDocument);
    }

    private async Task RestoreAsync(HttpContext context, string id)
    {
        TrashRestoreDocument wanted = await JsonAnswer.ReadAsync(context, TransferJson.Default.TrashRestoreDocument);
        TransferName name = wanted.Name is { } text ? TransferName.Parse(text) : default;
        TransferName restored = await TrashWork.RestoreAsync(context, store, id, name, context.RequestAborted);
        await JsonAnswer.WriteAsync(context, new TrashRestoredDocument { Name = restored.Value }, TransferJson.Default.TrashRestoredDocument);
    }

    private async Task DeleteAsync(HttpContext context, string id)
    {
        await TrashWork.DeleteAsync(context, store, id, context.RequestAborted);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private async Task EmptyAsync(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        string older = query["older"].ToString();
        TimeSpan? age = older.Length == 0 ? null
            : TrashWork.Age(long.TryParse(older, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds) ? seconds : -1);
        int deleted = await TrashWork.EmptyAsync(context, store, PrefixOf(query), age, context.RequestAborted);
        await JsonAnswer.WriteAsync(context, new TrashEmptiedDocument { Deleted = deleted }, TransferJson.Default.TrashEmptiedDocument);
    }

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
