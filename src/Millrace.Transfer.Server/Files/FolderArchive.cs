using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>A folder with everything below it as one file, made while it is sent.</summary>
internal static class FolderArchive
{
    /// <summary>The query that asks for it: <c>?archive=zip</c> or <c>?archive=tar</c>.</summary>
    public const string Query = "archive";

    private const string FormMediaType = "application/x-www-form-urlencoded";

    /// <summary>Bytes of a form that names files at most: 1,300 of the longest names, 60,000 short ones.</summary>
    private const int MaxFormBytes = 1024 * 1024;

    /// <summary>Reads which files and folders of a folder are wanted: the fields <c>only</c> of a form.</summary>
    /// <returns>Their names in the folder, without its own: that may have 1,020 bytes, and a short name in the form has 9.</returns>
    /// <exception cref="TransferException">There are none, they are not names in the folder, or there are too many.</exception>
    public static async ValueTask<IReadOnlyList<(TransferName Child, bool IsFolder)>> ReadChosenAsync(
        HttpContext context, TransferName folder)
    {
        MediaType.ThrowIfOther(
            context.Request, FormMediaType, $"Send the names as {FormMediaType}: only=NAME, and only=NAME/ for a folder.");
        TransferGuard.LimitDocument(context, MaxFormBytes);
        using var body = new StreamReader(context.Request.Body, Encoding.Latin1);
        string form = await body.ReadToEndAsync(context.RequestAborted);
        (TransferName, bool)[] chosen = [.. form.Split('&')
            .Where(static field => field.StartsWith("only=", StringComparison.Ordinal))
            .Select(field => Child(folder, field["only=".Length..].Replace("+", "%20", StringComparison.Ordinal)))
            .Distinct()];
        return chosen.Length > 0
            ? chosen
            : throw Errors.Invalid("No files are named. Send only=NAME for each file, and only=NAME/ for a folder.", folder.Value);
    }

    /// <param name="context">The request.</param>
    /// <param name="folder">The folder; it exists if something of it is chosen.</param>
    /// <param name="chosen">What is wanted of it; null for everything.</param>
    /// <param name="pass">What the caller may do.</param>
    public static async Task AnswerAsync(
        HttpContext context, TransferName folder, IReadOnlyList<(TransferName Child, bool IsFolder)>? chosen, TransferPass pass)
    {
        string kind = context.Request.Query[Query].ToString();
        string mediaType = kind switch
        {
            "zip" => "application/zip",
            "tar" => "application/x-tar",
            _ => throw Errors.Invalid(
                $"A folder can be sent as archive=zip or archive=tar, not as '{NameEncoding.Printable(kind)}'.", folder.Value),
        };

        // Before the first byte: whether there is such a folder at all.
        CancellationToken aborted = context.RequestAborted;
        ListFilesOptions wanted = Everything(folder);
        FilePage? first = chosen is null ? await pass.Store.ListAsync(wanted, aborted) : null;

        HttpResponse response = context.Response;
        response.ContentType = mediaType;
        response.Headers.ContentDisposition =
            FileFields.Disposition("attachment", $"{(folder.IsRoot ? "files" : folder.FileName)}.{kind}");
        response.Headers.CacheControl = "no-cache";
        response.Headers.XContentTypeOptions = "nosniff";
        if (HttpMethods.IsHead(context.Request.Method))
        {
            return;
        }

        await using var body = new BodyStream(response.BodyWriter);
        IArchiveWriter archive = kind == "zip"
            ? await ZipFile.BeginAsync(body, aborted)
            : new TarFile(body);
        int skipped = folder.IsRoot ? 0 : folder.Value.Length + 1;
        if (first is not null)
        {
            await AddFolderAsync(archive, wanted, first, skipped, pass, aborted);
        }

        foreach ((TransferName child, bool isFolder) in chosen ?? [])
        {
            TransferName name = folder.Append(child.Value);
            if (!isFolder)
            {
                await AddFileAsync(archive, name, skipped, pass, aborted);
            }
            else if (await FindAsync(() => pass.Store.ListAsync(Everything(name), aborted)) is { } page)
            {
                await AddFolderAsync(archive, Everything(name), page, skipped, pass, aborted);
            }
        }

        // Not after a failure: an archive that has its end would pass for whole.
        await archive.DisposeAsync();
        await body.FlushAsync(aborted);
    }

    /// <summary>Decodes a name as strictly as that in a URL: a form's reader would make one name of all that are not UTF-8.</summary>
    private static (TransferName Child, bool IsFolder) Child(TransferName folder, string encoded)
    {
        string own = encoded.EndsWith("%2F", StringComparison.OrdinalIgnoreCase) ? encoded[..^3] : encoded.TrimEnd('/');
        if (!TransferName.TryParseEncoded(own, out TransferName child) || !child.Folder.IsRoot)
        {
            throw new TransferException(
                TransferError.InvalidName, $"'{NameEncoding.Printable(encoded)}' is not the name of something in this folder.", folder.Value);
        }

        // Too long together is refused here, before the response begins.
        _ = folder.Append(child.Value);
        return (child, own.Length < encoded.Length);
    }

    private static ListFilesOptions Everything(TransferName folder) => new() { Folder = folder, Recursive = true };

    private static async Task AddFolderAsync(
        IArchiveWriter archive, ListFilesOptions wanted, FilePage page, int skipped, TransferPass pass, CancellationToken cancellationToken)
    {
        while (true)
        {
            foreach (FileEntry entry in page.Entries)
            {
                if (!entry.IsFolder)
                {
                    await AddFileAsync(archive, entry.Name, skipped, pass, cancellationToken);
                }
            }

            if (page.Next.IsRoot)
            {
                return;
            }

            page = await pass.Store.ListAsync(wanted with { After = page.Next }, cancellationToken);
        }
    }

    private static async Task AddFileAsync(
        IArchiveWriter archive, TransferName name, int skipped, TransferPass pass, CancellationToken cancellationToken)
    {
        if (await FindAsync(() => pass.Store.OpenReadAsync(name, DigestNeed.IfKnown, cancellationToken)) is { } reader)
        {
            await using (reader)
            {
                await archive.AddAsync(name.Value[skipped..], reader, cancellationToken);
                pass.AddBytes(reader.File.Length);
            }
        }
    }

    /// <summary>Null for what was deleted since it was listed or chosen.</summary>
    private static async ValueTask<T?> FindAsync<T>(Func<ValueTask<T>> find)
        where T : class
    {
        try
        {
            return await find();
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }
}
