using Microsoft.AspNetCore.Authentication;

namespace Millrace.Transfer.Server;

/// <summary>Making, listing and revoking links to folders, the same for HTTP and gRPC.</summary>
internal static class LinkWork
{
    /// <summary>Makes a link for a caller that has the permissions that it grants.</summary>
    public static async ValueTask<CreatedFolderLink> CreateAsync(HttpContext context, IFileStore store, FolderLinkOptions wanted)
    {
        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await guard.EnterAsync(
            context, store, wanted.IsDrop ? TransferOperation.LinkUpload : TransferOperation.LinkFolder, wanted.Folder);
        if (pass.Owner is null)
        {
            throw new TransferException(
                TransferError.Forbidden, "This server needs no token, so a link would allow no more than the URL.", wanted.Folder.Value);
        }

        if (!await pass.Store.FolderExistsAsync(wanted.Folder, context.RequestAborted))
        {
            throw Errors.NoFolder(wanted.Folder);
        }

        TimeSpan lifetime = wanted.Lifetime;
        if (ScopeRequirement.ExpiryOf(context.User) is { } end && end - guard.Now < lifetime)
        {
            lifetime = end - guard.Now;
        }

        // Checks that the key can be made, with a message for callers.
        await guard.Links.GetKeyAsync(context.RequestAborted);
        return await guard.Links.Of(store).CreateAsync(
            wanted with { Lifetime = lifetime, Owner = pass.Owner, Prefix = ScopeRequirement.PrefixOf(context.User) }, context.RequestAborted);
    }

    /// <summary>The links below the prefix of the caller, the newest first.</summary>
    public static async ValueTask<IReadOnlyList<FolderLink>> ListAsync(HttpContext context, IFileStore store)
    {
        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await EnterAsync(context, store);
        ThrowIfOpen(pass);
        TransferName prefix = ScopeRequirement.PrefixOf(context.User);
        var found = new List<FolderLink>();
        await foreach (FolderLink link in guard.Links.Of(store).ListAsync(context.RequestAborted))
        {
            if (link.Folder.IsIn(prefix))
            {
                found.Add(link);
            }
        }

        return [.. found.OrderByDescending(static link => link.Created)];
    }

    /// <summary>Revokes a link to a folder in which the caller may make links.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>.</exception>
    public static async ValueTask RevokeAsync(HttpContext context, IFileStore store, string id)
    {
        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await EnterAsync(context, store);
        ThrowIfOpen(pass);
        FolderLinks links = guard.Links.Of(store);
        if (await links.FindAsync(id, context.RequestAborted) is not { } link
            || !link.Folder.IsIn(ScopeRequirement.PrefixOf(context.User))
            || !await links.RevokeAsync(id, context.RequestAborted))
        {
            throw new TransferException(TransferError.NotFound, "There is no such link. It may have been revoked before.");
        }
    }

    /// <summary>The URL of a link, for a browser or a program.</summary>
    public static string UrlOf(HttpContext context, TransferServerOptions options, CreatedFolderLink made) =>
        $"{FilesOf(context, options)}/{(made.Link.Folder.IsRoot ? "" : made.Link.Folder.ToEncoded() + "/")}?{LinkSecret.Key}={made.Secret}";

    /// <summary>The URL of the files; without the server's public URL a path: only the browser knows the scheme and the host before a proxy.</summary>
    public static string FilesOf(HttpContext context, TransferServerOptions options) =>
        TransferGuard.Of(context).Options.PublicUrl?.GetLeftPart(UriPartial.Authority) + PageShell.PathOf(context, options.FilesPath);

    public static TimeSpan Seconds(long seconds) => seconds > 0 && seconds <= FolderLinks.MaxLifetime.TotalSeconds
        ? TimeSpan.FromSeconds(seconds)
        : throw Errors.Invalid($"A link to a folder is valid for 1 to {FolderLinks.MaxLifetime.TotalSeconds:0} seconds.");

    /// <summary>The folder that is asked about is the caller's prefix, which is known only after it was found.</summary>
    private static async ValueTask<TransferPass> EnterAsync(HttpContext context, IFileStore store)
    {
        TransferGuard guard = TransferGuard.Of(context);
        AuthenticateResult? found = await guard.FindUserAsync(context, store);
        TransferName prefix = found is null ? default : ScopeRequirement.PrefixOf(found.Principal!);
        return await guard.EnterAsync(context, store, TransferOperation.ManageLinks, prefix);
    }

    private static void ThrowIfOpen(TransferPass pass)
    {
        if (pass.Owner is null)
        {
            throw new TransferException(TransferError.Forbidden, "This server needs no token, and has no links.");
        }
    }
}
