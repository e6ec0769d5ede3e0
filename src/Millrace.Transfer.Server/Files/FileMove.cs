using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>MOVE of a file or folder (RFC 4918, section 9.9).</summary>
internal sealed class FileMove(IFileStore store)
{
    private const string DestinationField = "Destination";

    public async Task AnswerAsync(HttpContext context, FileTarget source)
    {
        TransferGuard guard = TransferGuard.Of(context);
        FileTarget target = ReadDestination(context, guard.Options.PublicUrl);
        bool mayReplace = ReadOverwrite(context.Request);
        using TransferPass pass = await guard.EnterAsync(context, store, TransferOperation.Move, source.Name, target.Name);
        CancellationToken aborted = context.RequestAborted;
        StoredFile? file = source.Name.IsRoot ? null : await pass.Store.FindAsync(source.Name, DigestNeed.IfKnown, aborted);
        if (source.Name.IsRoot)
        {
            throw new Refusal(TransferError.InvalidName, "The root of a store cannot be moved. Name a file or folder.")
            {
                Status = StatusCodes.Status409Conflict,
            };
        }

        if (file is not null)
        {
            FileUpload.ThrowIfFolder(target);
            if (source.IsFolder)
            {
                throw Errors.NoFolder(source.Name);
            }
        }

        var options = new MoveOptions
        {
            Source = WriteConditions.Read(context.Request, source.Name, file),
            Replace = mayReplace,
        };
        bool replaces = mayReplace && await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted) is not null;
        StoredFile? moved = await StoreConflict.AskAsync(
            pass.Store.MoveAsync(source.Name, target.Name, options, aborted), new WritePrecondition { CreateNew = !mayReplace });
        FileUpload.Answer(context, target, moved, isNew: !replaces);
    }

    /// <summary>The new name, from a URL of this server or a path.</summary>
    /// <exception cref="TransferException">It is missing, on another server, or no name.</exception>
    private static FileTarget ReadDestination(HttpContext context, Uri? publicUrl)
    {
        StringValues field = context.Request.Headers[DestinationField];
        string text = field.ToString();

        // Two fields may come as one line.
        if (field.Count != 1 || text.AsSpan().ContainsAny('?', '#') || text.Contains(", /", StringComparison.Ordinal))
        {
            throw Errors.Invalid(
                $"The field {DestinationField} of a MOVE has the new path, for example /files/new, without a query. Send it once.");
        }

        if (text.StartsWith('/'))
        {
            return FileTarget.Of(context, text);
        }

        int authority = text.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0
            || !Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || !(CrossSiteRequest.IsOf(url, HostNames.Of(context.Request))
                || (publicUrl is not null && url.GetLeftPart(UriPartial.Authority) == publicUrl.GetLeftPart(UriPartial.Authority))))
        {
            throw Errors.Invalid(
                $"The field {DestinationField} is '{NameEncoding.Printable(text)}', which is not at this server. Name a path of this server, for example /files/new.");
        }

        int slash = text.IndexOf('/', authority + 3);
        return FileTarget.Of(context, slash < 0 ? "/" : text[slash..]);
    }

    private static bool ReadOverwrite(HttpRequest request) => request.Headers["Overwrite"].ToString() switch
    {
        "" or "T" => true,
        "F" => false,
        _ => throw Errors.Invalid("The field Overwrite is T or F."),
    };
}
