using System.Globalization;
using System.Net;
using System.Security;
using System.Text;

namespace Millrace.Transfer;

/// <content>What only syncs ask for: see docs/protocol.md.</content>
internal partial class HttpProtocolClient
{
    private static readonly HttpMethod LockMethod = new("LOCK");
    private static readonly HttpMethod UnlockMethod = new("UNLOCK");
    private static readonly HttpMethod PropPatchMethod = new("PROPPATCH");

    /// <summary>Takes the lock, or renews one.</summary>
    /// <param name="folder">The folder; it need not exist.</param>
    /// <param name="holder">The name of the owner, for others to read.</param>
    /// <param name="key">Known to this client and its next run only.</param>
    /// <param name="token">The lock to renew; null for a new one.</param>
    /// <param name="duration">How long it lasts, in whole seconds.</param>
    /// <param name="watch">Ends it.</param>
    /// <returns>The lock's token; null if the server has no such locks, not for this caller, or no room for one: a sync may free some.</returns>
    /// <exception cref="TransferException">Status 423: another sync has it; 412: the lock to renew has ended.</exception>
    public async Task<string?> LockAsync(TransferName folder, string holder, string key, string? token, TimeSpan duration, IdleWatch watch)
    {
        try
        {
            using HttpResponseMessage response = await SendAsync(LockMethod, FolderUrlOf(folder), Call("Locking", folder), watch, request =>
            {
                request.Headers.Accept.ParseAdd(ErrorDocument.MediaType);
                Add(request, "Timeout", string.Create(CultureInfo.InvariantCulture, $"Second-{(long)duration.TotalSeconds}"));
                if (token is not null)
                {
                    Add(request, "If", $"(<{token}>)");
                    return;
                }

                Add(request, "Depth", "0");
                request.Content = new StringContent(
                    $"<D:lockinfo xmlns:D=\"DAV:\" xmlns:m=\"{SyncLockName.Namespace}\"><D:lockscope><D:exclusive/></D:lockscope>"
                    + $"<D:locktype><m:{SyncLockName.Element} {SyncLockName.Key}=\"{SecurityElement.Escape(key)}\"/></D:locktype><D:owner>{SecurityElement.Escape(holder)}</D:owner></D:lockinfo>",
                    Encoding.UTF8,
                    "application/xml");
            }).ConfigureAwait(false);
            return token ?? Fields.Text(response, "Lock-Token")?.Trim('<', '>');
        }
        catch (TransferException exception) when (exception.Status is 400 or 403 or 404 or 405 or 501 or 507)
        {
            return null;
        }
    }

    /// <summary>Sets when a file was last changed; a property of WebDAV, which servers may also leave as it is.</summary>
    public async Task SetModifiedAsync(TransferName name, FileTime modified, WritePrecondition precondition, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(PropPatchMethod, UrlOf(name), Call("Setting the date of", name), watch, request =>
        {
            AddPrecondition(request, precondition);
            request.Content = new StringContent(
                $"<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><D:getlastmodified>{modified}</D:getlastmodified></D:prop></D:set></D:propertyupdate>",
                Encoding.UTF8,
                "application/xml");
        }).ConfigureAwait(false);
    }

    /// <summary>Ends the lock.</summary>
    public async Task UnlockAsync(TransferName folder, string token, IdleWatch watch)
    {
        using HttpResponseMessage response = await SendAsync(
            UnlockMethod, FolderUrlOf(folder), Call("Unlocking", folder), watch, request => Add(request, "Lock-Token", $"<{token}>")).ConfigureAwait(false);
    }
}
