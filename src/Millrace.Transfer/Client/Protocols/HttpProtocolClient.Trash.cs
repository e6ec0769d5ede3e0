using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer;

/// <content>Deleted files.</content>
internal partial class HttpProtocolClient
{
    public override Task<TrashDocument> ListTrashAsync(TransferName folder, string? after, IdleWatch watch)
    {
        string from = after is null ? "" : $"&after={Uri.EscapeDataString(after)}";
        return AskTrashAsync(
            HttpMethod.Get, $"?name={folder.ToEncoded()}{from}", Call("Listing the trash of", folder), TransferJson.Default.TrashDocument, watch);
    }

    public override async Task<TransferName> RestoreAsync(string id, TransferName name, IdleWatch watch)
    {
        ProtocolCall call = Call("Restoring", name);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(
            new TrashRestoreDocument { Name = name.IsRoot ? null : name.Value }, TransferJson.Default.TrashRestoreDocument);
        TrashRestoredDocument restored = await AskTrashAsync(
            HttpMethod.Post, $"/{Uri.EscapeDataString(id)}", call, TransferJson.Default.TrashRestoredDocument, watch, body).ConfigureAwait(false);
        return TransferName.TryParse(restored.Name, out TransferName found)
            ? found
            : throw Failures.Protocol(call, "the name of the restored file is none");
    }

    public override async Task<int> EmptyTrashAsync(TransferName folder, TimeSpan? olderThan, IdleWatch watch)
    {
        string older = olderThan is { } time ? string.Create(CultureInfo.InvariantCulture, $"&older={(long)time.TotalSeconds}") : "";
        TrashEmptiedDocument emptied = await AskTrashAsync(
            HttpMethod.Delete, $"?name={folder.ToEncoded()}{older}", Call("Emptying the trash of", folder),
            TransferJson.Default.TrashEmptiedDocument, watch).ConfigureAwait(false);
        return emptied.Deleted;
    }

    private async Task<T> AskTrashAsync<T>(
        HttpMethod method, string rest, ProtocolCall call, JsonTypeInfo<T> type, IdleWatch watch, byte[]? body = null)
    {
        Uri trash = Setup.Trash ?? throw Failures.NoTrash();
        using HttpResponseMessage response = await SendAsync(method, new Uri(trash + rest), call, watch, request =>
        {
            request.Headers.Accept.Add(Json);
            if (body is not null)
            {
                request.Content = new ByteArrayContent(body);
                request.Content.Headers.ContentType = new("application/json");
            }
        }).ConfigureAwait(false);
        try
        {
            return await BoundedJson.ReadAsync(response, BoundedJson.MaxListing, type, watch.Token).ConfigureAwait(false)
                ?? throw Failures.Protocol(call, "the response is empty");
        }
        catch (JsonException exception)
        {
            throw Failures.Protocol(call, $"the response cannot be read ({exception.Message})");
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException and not TransferException or OperationCanceledException)
        {
            throw Failures.Translate(exception, call, watch);
        }
    }
}
