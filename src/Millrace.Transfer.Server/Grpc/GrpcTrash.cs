using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>ListTrash, RestoreTrash, DeleteTrash and EmptyTrash.</summary>
internal static class GrpcTrash
{
    public static async Task ListAsync(GrpcCall call)
    {
        ListTrashRequest request = await call.ReadAsync(ListTrashRequest.Parser);
        TransferName prefix = GrpcValues.Folder(request.Name);
        if (request.Limit < 0)
        {
            throw Errors.Invalid("'limit' is a number of entries, or 0 for all of them.", prefix.Value);
        }

        int left = request.Limit == 0 ? int.MaxValue : request.Limit;
        var options = new ListTrashOptions
        {
            Prefix = prefix,
            After = request.After.Length == 0 ? null : request.After,
            PageSize = Math.Min(left, ListTrashOptions.DefaultPageSize),
        };
        bool hasBegun = false;
        await foreach (TrashPage page in TrashWork.ListAsync(call.Context, call.Root, options, call.Ended))
        {
            if (!hasBegun)
            {
                // Not before: a refusal is reported without beginning the answer.
                hasBegun = true;
                await call.Answer.BeginAsync();
            }

            foreach (TrashEntry entry in page.Entries.Take(left))
            {
                await call.Answer.WriteManyAsync(ToMessage(entry));
                left--;
            }

            if (left == 0)
            {
                break;
            }
        }
    }

    public static async Task RestoreAsync(GrpcCall call)
    {
        RestoreTrashRequest request = await call.ReadAsync(RestoreTrashRequest.Parser);
        TransferName restored = await TrashWork.RestoreAsync(
            call.Context, call.Root, request.Id, GrpcValues.Folder(request.Name), call.Ended);
        await call.Answer.SendAsync(new RestoreTrashResponse { Name = restored.Value });
    }

    public static async Task DeleteAsync(GrpcCall call)
    {
        DeleteTrashRequest request = await call.ReadAsync(DeleteTrashRequest.Parser);
        await TrashWork.DeleteAsync(call.Context, call.Root, request.Id, call.Ended);
        await call.Answer.SendAsync(new DeleteTrashResponse());
    }

    public static async Task EmptyAsync(GrpcCall call)
    {
        EmptyTrashRequest request = await call.ReadAsync(EmptyTrashRequest.Parser);
        int deleted = await TrashWork.EmptyAsync(
            call.Context, call.Root, GrpcValues.Folder(request.Name), request.HasOlder ? TrashWork.Age(request.Older) : null, call.Ended);
        await call.Answer.SendAsync(new EmptyTrashResponse { Deleted = deleted });
    }

    private static Messages.TrashEntry ToMessage(TrashEntry entry) => new()
    {
        Id = entry.Id,
        Name = entry.Name.Value,
        IsFolder = entry.IsFolder,
        Length = entry.Bytes,
        Deleted = Timestamp.FromDateTimeOffset(entry.Deleted),
        By = entry.DeletedBy ?? "",
        IsReplaced = entry.IsReplaced,
    };
}
