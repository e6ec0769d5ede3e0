using System.Text;

namespace Millrace.Transfer;

/// <content>Symbolic links: see docs/protocol.md.</content>
internal partial class HttpProtocolClient
{
    private const string SymbolicLinkQuery = "?symlink";

    public async Task PutSymbolicLinkAsync(TransferName name, string target, WritePrecondition precondition, IdleWatch watch)
    {
        try
        {
            using HttpResponseMessage response = await SendAsync(
                HttpMethod.Post, new Uri(UrlOf(name), SymbolicLinkQuery), Call("Linking", name), watch, request =>
                {
                    AddPrecondition(request, precondition);
                    request.Content = new StringContent(target, Encoding.UTF8, "text/plain");
                }).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Status == 405)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"'{name}' is a symbolic link, and this server keeps none. Send the files that links lead to.", name.Value, exception);
        }
    }

    public async Task<bool> DeleteSymbolicLinkAsync(TransferName name, WritePrecondition precondition, IdleWatch watch)
    {
        using HttpResponseMessage? response = await SendOrNullAsync(
            HttpMethod.Delete, new Uri(UrlOf(name), SymbolicLinkQuery), Call("Deleting", name), watch, request => AddPrecondition(request, precondition))
            .ConfigureAwait(false);
        return response is not null;
    }
}
