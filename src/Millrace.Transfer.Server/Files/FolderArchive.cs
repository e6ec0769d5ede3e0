namespace Millrace.Transfer.Server;

/// <summary>A folder with everything below it as one file, made while it is sent.</summary>
internal static class FolderArchive
{
    /// <summary>The query that asks for it: <c>?archive=zip</c> or <c>?archive=tar</c>.</summary>
    public const string Query = "archive";

    public static async Task AnswerAsync(HttpContext context, TransferName folder, TransferPass pass)
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
        var wanted = new ListFilesOptions { Folder = folder, Recursive = true };
        FilePage first = await pass.Store.ListAsync(wanted, aborted);
        HttpResponse response = context.Response;
        response.ContentType = mediaType;
        response.Headers.ContentDisposition =
            FileFields.Disposition("attachment", $"{(folder.IsRoot ? "files" : folder.FileName)}.{kind}");
        response.Headers.CacheControl = "no-cache";
        response.Headers.XContentTypeOptions = "nosniff";
        if (!HttpMethods.IsGet(context.Request.Method))
        {
            return;
        }

        await using var body = new BodyStream(response.BodyWriter);
        IArchiveWriter archive = kind == "zip"
            ? await ZipFile.BeginAsync(body, aborted)
            : new TarFile(body);
        await WriteAsync(archive, wanted, first, pass, aborted);

        // Not after a failure: an archive that has its end would pass for whole.
        await archive.DisposeAsync();
        await body.FlushAsync(aborted);
    }

    private static async Task WriteAsync(
        IArchiveWriter archive, ListFilesOptions wanted, FilePage page, TransferPass pass, CancellationToken cancellationToken)
    {
        int skipped = wanted.Folder.IsRoot ? 0 : wanted.Folder.Value.Length + 1;
        while (true)
        {
            foreach (FileEntry entry in page.Entries)
            {
                if (!entry.IsFolder
                    && await TryOpenAsync(pass, entry.Name, cancellationToken) is { } reader)
                {
                    await using (reader)
                    {
                        await archive.AddAsync(entry.Name.Value[skipped..], reader, cancellationToken);
                        pass.AddBytes(reader.File.Length);
                    }
                }
            }

            if (page.Next.IsRoot)
            {
                return;
            }

            page = await pass.Store.ListAsync(wanted with { After = page.Next }, cancellationToken);
        }
    }

    /// <summary>Null for a file that was deleted since it was listed.</summary>
    private static async ValueTask<StoredFileReader?> TryOpenAsync(
        TransferPass pass, TransferName name, CancellationToken cancellationToken)
    {
        try
        {
            return await pass.Store.OpenReadAsync(name, DigestNeed.IfKnown, cancellationToken);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return null;
        }
    }
}
