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

    /// <summary>Names that are looked for before others get their turn.</summary>
    /// <remarks>A name that is not there costs no waiting, so tens of thousands of them would occupy a thread for seconds.</remarks>
    private const int NamesAtOnce = 64;

    /// <summary>The entry that an incomplete archive has in addition.</summary>
    private const string OmittedName = "millrace-omitted.txt";

    /// <summary>One form is decoded at a time: it takes ten times its bytes, and others wait for the processor anyway.</summary>
    private static readonly SemaphoreSlim Decoding = new(1, 1);

    /// <summary>Reads which files and folders of a folder are wanted: the fields <c>only</c> of a form.</summary>
    /// <returns>Their names in the folder, without its own: that may have 1,020 bytes, and a short name in the form has 9.</returns>
    /// <exception cref="TransferException">There are none, they are not names in the folder, or there are too many.</exception>
    public static async ValueTask<IEnumerable<(TransferName Child, bool IsFolder)>> ReadChosenAsync(
        HttpContext context, AllowedNames allowed, TransferName folder)
    {
        MediaType.ThrowIfOther(
            context.Request, FormMediaType, $"Send the names as {FormMediaType}: only=NAME, and only=NAME/ for a folder.");
        CallerLimits.LimitDocument(context, MaxFormBytes);
        using var form = new MemoryStream();
        await context.Request.Body.CopyToAsync(form, context.RequestAborted);
        await Decoding.WaitAsync(context.RequestAborted);
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return Chosen(Decode(allowed, folder, Encoding.Latin1.GetString(form.GetBuffer(), 0, (int)form.Length)));
        }
        finally
        {
            Decoding.Release();
        }
    }

    /// <summary>The names, each once, as UTF-8 with NUL after each, which is in none: as strings they would take several times as much until the archive's end.</summary>
    private static byte[] Decode(AllowedNames allowed, TransferName folder, string form)
    {
        var names = new MemoryStream();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (Range range in form.AsSpan().Split('&'))
        {
            ReadOnlySpan<char> field = form.AsSpan()[range];
            if (!field.StartsWith("only=", StringComparison.Ordinal))
            {
                continue;
            }

            (TransferName child, bool isFolder) = Child(allowed, folder, field["only=".Length..].ToString().Replace("+", "%20", StringComparison.Ordinal));
            string text = isFolder ? $"{child.Value}/\0" : $"{child.Value}\0";
            if (seen.Add(text))
            {
                names.Write(Encoding.UTF8.GetBytes(text));
            }
        }

        return names.Length > 0
            ? names.ToArray()
            : throw Errors.Invalid("No files are named. Send only=NAME for each file, and only=NAME/ for a folder.", folder.Value);
    }

    private static IEnumerable<(TransferName Child, bool IsFolder)> Chosen(byte[] names)
    {
        for (int start = 0; start < names.Length;)
        {
            int length = names.AsSpan(start).IndexOf((byte)0);
            string text = Encoding.UTF8.GetString(names, start, length);
            yield return (TransferName.Parse(text.TrimEnd('/')), text[^1] == '/');
            start += length + 1;
        }
    }

    /// <param name="context">The request.</param>
    /// <param name="folder">The folder; it exists if something of it is chosen.</param>
    /// <param name="chosen">The chosen entries; null for all of them.</param>
    /// <param name="pass">The caller's permissions.</param>
    public static async Task AnswerAsync(
        HttpContext context, TransferName folder, IEnumerable<(TransferName Child, bool IsFolder)>? chosen, TransferPass pass)
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
        FileFields.PassOn(response.Headers);
        if (HttpMethods.IsHead(context.Request.Method))
        {
            return;
        }

        await pass.CountArchiveAsync(aborted);
        try
        {
            await SendAsync(response, kind, wanted, first, chosen, pass, aborted);
        }
        finally
        {
            await pass.EndArchiveAsync();
        }
    }

    private static async Task SendAsync(
        HttpResponse response, string kind, ListFilesOptions wanted, FilePage? first, IEnumerable<(TransferName Child, bool IsFolder)>? chosen,
        TransferPass pass, CancellationToken aborted)
    {
        TransferName folder = wanted.Folder;
        await using var body = new BodyStream(response.BodyWriter);
        IArchiveWriter archive = kind == "zip" ? new ZipFile(body) : new TarFile(body);
        int skipped = folder.IsRoot ? 0 : folder.Value.Length + 1;
        var missing = new MissingEntries();
        if (first is not null)
        {
            await AddFolderAsync(archive, wanted, first, skipped, missing, pass, aborted);
        }

        int names = 0;

        foreach ((TransferName child, bool isFolder) in chosen ?? [])
        {
            if (++names % NamesAtOnce == 0)
            {
                await Task.Yield();
            }

            TransferName name = folder.Append(child.Value);
            if (!isFolder)
            {
                await AddFileAsync(archive, name, skipped, missing, pass, aborted);
            }
            else if (await FindAsync(() => pass.Store.ListAsync(Everything(name), aborted), $"{child.Value}/", missing) is { } page)
            {
                await AddFolderAsync(archive, Everything(name), page, skipped, missing, pass, aborted);
            }
        }

        if (missing.Text is { } text)
        {
            // No stored file has the second name.
            bool isTaken = TransferName.TryParse(folder.IsRoot ? OmittedName : $"{folder.Value}/{OmittedName}", out TransferName note)
                && await pass.Store.FindAsync(note, DigestNeed.IfKnown, aborted) is not null;
            await archive.AddTextAsync(isTaken ? ".millrace-" + OmittedName : OmittedName, text, aborted);
        }

        // Not after a failure: an archive that has its end would pass for whole.
        await archive.DisposeAsync();
        await body.FlushAsync(aborted);
    }

    /// <summary>Decodes a name as strictly as that in a URL: a form's reader would make one name of all that are not UTF-8.</summary>
    private static (TransferName Child, bool IsFolder) Child(AllowedNames allowed, TransferName folder, string encoded)
    {
        string own = encoded.EndsWith("%2F", StringComparison.OrdinalIgnoreCase) ? encoded[..^3] : encoded.TrimEnd('/');
        if (!TransferName.TryParseEncoded(own, out TransferName child) || !child.Folder.IsRoot)
        {
            throw new TransferException(
                TransferError.InvalidName, $"'{NameEncoding.Printable(encoded)}' is not the name of something in this folder.", folder.Value);
        }

        // Too long together is refused here, before the response begins.
        allowed.Check(folder.Append(child.Value));
        return (child, own.Length < encoded.Length);
    }

    private static ListFilesOptions Everything(TransferName folder) => new() { Folder = folder, Recursive = true, OmitDigests = true };

    private static async Task AddFolderAsync(
        IArchiveWriter archive, ListFilesOptions wanted, FilePage page, int skipped, MissingEntries missing, TransferPass pass,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            missing.Omitted += page.Omitted;
            foreach (FileEntry entry in page.Entries)
            {
                if (!entry.IsFolder)
                {
                    await AddFileAsync(archive, entry.Name, skipped, missing, pass, cancellationToken);
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
        IArchiveWriter archive, TransferName name, int skipped, MissingEntries missing, TransferPass pass, CancellationToken cancellationToken)
    {
        string path = name.Value[skipped..];
        if (await FindAsync(() => pass.Store.OpenReadAsync(name, DigestNeed.IfKnown, cancellationToken), path, missing) is { } reader)
        {
            await using (reader)
            {
                await pass.CountArchiveFileAsync(reader.File.Length, cancellationToken);
                await archive.AddAsync(path, reader, cancellationToken);
                pass.AddBytes(reader.File.Length);
            }
        }
    }

    /// <summary>
    /// Null for an entry that was deleted since it was listed or chosen, or that cannot be opened. A store that does not answer is
    /// an error: otherwise everything would be missing.
    /// </summary>
    private static async ValueTask<T?> FindAsync<T>(Func<ValueTask<T>> find, string path, MissingEntries missing)
        where T : class
    {
        try
        {
            return await find();
        }
        catch (TransferException exception) when (exception.Error != TransferError.Unavailable)
        {
            if (exception.Error != TransferError.NotFound)
            {
                missing.AddUnopened(path);
            }

            return null;
        }
    }
}
