using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <content>Deleted files.</content>
internal sealed partial class GrpcProtocolClient
{
    public override async Task<TrashDocument> ListTrashAsync(TransferName folder, string? after, IdleWatch watch)
    {
        ThrowIfNoTrash();
        ProtocolCall call = Call("Listing the trash of", folder);
        using var exchange = new GrpcExchange(_setup, call, watch);
        try
        {
            GrpcInput input = await SendAsync(
                exchange, "ListTrash", new ListTrashRequest { Name = folder.Value, After = after ?? "", Limit = PageEntries })
                .ConfigureAwait(false);
            List<TrashEntryDocument> entries =
                await ReadPageAsync(exchange, input, TrashEntry.Parser, entry => ToEntry(entry, call), call).ConfigureAwait(false);
            return new TrashDocument { Entries = entries, Next = entries.Count == PageEntries ? entries[^1].Id : null };
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw exchange.Translate(exception);
        }
    }

    public override async Task<TransferName> RestoreAsync(string id, TransferName name, IdleWatch watch)
    {
        ThrowIfNoTrash();
        ProtocolCall call = Call("Restoring", name);
        RestoreTrashResponse restored = await AskAsync(
            "RestoreTrash", new RestoreTrashRequest { Id = id, Name = name.Value }, RestoreTrashResponse.Parser, call, watch).ConfigureAwait(false);
        return TransferName.TryParse(restored.Name, out TransferName found)
            ? found
            : throw Failures.Protocol(call, "the name of the restored file is none");
    }

    public override async Task<int> EmptyTrashAsync(TransferName folder, TimeSpan? olderThan, IdleWatch watch)
    {
        ThrowIfNoTrash();
        var request = new EmptyTrashRequest { Name = folder.Value };
        if (olderThan is { } time)
        {
            request.Older = (long)time.TotalSeconds;
        }

        EmptyTrashResponse emptied = await AskAsync(
            "EmptyTrash", request, EmptyTrashResponse.Parser, Call("Emptying the trash of", folder), watch).ConfigureAwait(false);
        return emptied.Deleted;
    }

    /// <summary>A server that does not describe itself is asked.</summary>
    private void ThrowIfNoTrash()
    {
        if (_setup.Trash is null && _setup.IsDescribed)
        {
            throw Failures.NoTrash();
        }
    }

    private static TrashEntryDocument ToEntry(TrashEntry entry, ProtocolCall call) => new()
    {
        Id = entry.Id,
        Name = entry.Name,
        IsFolder = entry.IsFolder,
        Length = entry.Length,
        Deleted = TimeOf(entry.Deleted, call)?.ToDateTimeOffset() ?? throw Failures.Protocol(call, "the time of an entry is missing"),
        By = entry.By.Length == 0 ? null : entry.By,
        IsReplaced = entry.IsReplaced,
    };
}
