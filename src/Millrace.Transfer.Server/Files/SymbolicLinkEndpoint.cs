using System.Text;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>POST NAME?symlink and DELETE NAME?symlink: symbolic links as such. docs/protocol.md describes them.</summary>
internal sealed class SymbolicLinkEndpoint(IFileStore store)
{
    public const string Query = "symlink";

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public async Task CreateAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.Upload, target.Name);
        FileUpload.ThrowIfFolder(target);
        ISymbolicLinks links = LinksOf(pass.Store);
        string text = await ReadAsync(context, target.Name);
        StoredFile? present = await FindAsync(pass.Store, target.Name, context.RequestAborted);
        using TransferPass.Change change = await pass.BeginAsync(
            target.Name, present is null ? LockUse.Membership : LockUse.Content, context.RequestAborted);
        (StoredFile link, bool isNew) = await StoreConflict.AskAsync(
            links.CreateSymbolicLinkAsync(target.Name, text, ConditionOf(context.Request, target.Name), context.RequestAborted),
            ConditionOf(context.Request, target.Name));
        FileUpload.Answer(context, target, link, isNew);
    }

    public async Task DeleteAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.Delete, target.Name);
        ISymbolicLinks links = LinksOf(pass.Store);
        using TransferPass.Change change = await pass.BeginAsync(target.Name, LockUse.Membership, context.RequestAborted);
        if (!await links.DeleteSymbolicLinkAsync(target.Name, ConditionOf(context.Request, target.Name), context.RequestAborted))
        {
            throw new TransferException(TransferError.NotFound, $"There is no link '{target.Name}' to delete.", target.Name.Value);
        }

        await pass.ForgetAsync(target.Name);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private static ISymbolicLinks LinksOf(IFileStore store) => store as ISymbolicLinks ?? throw new Refusal(
        TransferError.InvalidRequest,
        "Symbolic links are not kept here: a bucket, a folder with hidden names and a link to a folder have none. Send their targets.")
    {
        Status = StatusCodes.Status409Conflict,
    };

    /// <summary>Only the store knows what has the name: a link is not its target.</summary>
    private static WritePrecondition ConditionOf(HttpRequest request, TransferName name) =>
        request.Headers.IfMatch is { Count: > 0 } match ? WriteConditions.ReadMatch(match, name)
        : request.Headers.IfNoneMatch is { Count: > 0 } none ? none.ToString() == "*" ? new WritePrecondition { CreateNew = true }
            : throw Errors.Invalid($"If-None-Match of the link '{name}' can only be *.", name.Value)
        : default;

    private static async ValueTask<StoredFile?> FindAsync(IFileStore store, TransferName name, CancellationToken cancellationToken)
    {
        try
        {
            return await store.FindAsync(name, DigestNeed.IfKnown, cancellationToken);
        }
        catch (TransferException exception) when (exception.Error == TransferError.Forbidden)
        {
            // A link that the owner of the folder made, and that leads out.
            return null;
        }
    }

    private static async ValueTask<string> ReadAsync(HttpContext context, TransferName name)
    {
        byte[] bytes = new byte[SymbolicLink.MaxBytes + 1];
        int read = await context.Request.Body.ReadAtLeastAsync(bytes, bytes.Length, throwOnEndOfStream: false, context.RequestAborted);
        try
        {
            return read is > 0 and <= SymbolicLink.MaxBytes
                ? Strict.GetString(bytes, 0, read)
                : throw Errors.Invalid($"The target of the link '{name}' must have 1 to {SymbolicLink.MaxBytes} bytes.", name.Value);
        }
        catch (DecoderFallbackException)
        {
            throw Errors.Invalid($"The target of the link '{name}' is not UTF-8.", name.Value);
        }
    }
}
