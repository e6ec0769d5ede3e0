using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Every request for a file or a folder begins here.</summary>
internal sealed class FileHandler(IFileStore store, TransferServerOptions options)
{
    public const string Allowed = "GET, HEAD, PUT, DELETE, MOVE, MKCOL, OPTIONS";

    private const string DavAllowed = $"{Allowed}, PROPFIND, PROPPATCH, COPY";

    private readonly FileDownload _download = new(store, options);
    private readonly BlockDownload _blocks = new(store, options);
    private readonly FileUpload _upload = new(store);
    private readonly BatchUpload _batch = new(store, options);
    private readonly BatchDownload _batchDownload = new(store);
    private readonly FileRemoval _removal = new(store);
    private readonly FileMove _move = new(store);
    private readonly FolderCreation _creation = new(store);
    private readonly FolderVersions _versions = new(store);
    private readonly SymbolicLinkEndpoint _links = new(store);
    private readonly FolderDownload _folder = new(store, options);
    private readonly DavHandler? _dav = options.WebDav ? new DavHandler(store) : null;

    public Task HandleAsync(HttpContext context)
    {
        if (!PageCors.AllowsOrigins(context))
        {
            // Without it, a page of another site can embed files that it may not read, and learn from that.
            context.Response.Headers["Cross-Origin-Resource-Policy"] = "same-origin";
        }

        return Problems.RunAsync(context, DispatchAsync);
    }

    private Task DispatchAsync(HttpContext context)
    {
        FileTarget target = FileTarget.Of(context);
        string method = context.Request.Method;
        if (method is "PUT" or "LOCK" or "MKCOL" or "POST")
        {
            ThrowIfSystemFile(options, target.Name);
        }

        if (HttpMethods.IsGet(method) || HttpMethods.IsHead(method))
        {
            return ReadAsync(context, target);
        }

        if ((HttpMethods.IsPut(method) || HttpMethods.IsPost(method)) && UploadEndpoints.IsResumable(context.Request)
            && !IsWholeByLink(context.Request))
        {
            FileUpload.ThrowIfFolder(target);
            return UploadEndpoints.CreateAsync(context, store, options, target.Name);
        }

        if (HttpMethods.IsPost(method) && target.IsFolder && context.Request.Query.ContainsKey(FolderArchive.Query))
        {
            return _folder.AnswerAsync(context, target);
        }

        if (HttpMethods.IsPost(method) && target.IsFolder && context.Request.Query.TryGetValue(BatchFileDocument.Query, out StringValues batch))
        {
            return batch.ToString() switch
            {
                "" => _batch.AnswerAsync(context, target),
                BatchFileDocument.Get => _batchDownload.AnswerAsync(context, target),
                _ => throw Errors.Invalid($"Send ?{BatchFileDocument.Query} to store files, or ?{BatchFileDocument.Query}={BatchFileDocument.Get} to get files."),
            };
        }

        if (HttpMethods.IsPost(method) && target.IsFolder
            && (context.Request.Query.ContainsKey(FolderVersions.CloneQuery) || context.Request.Query.ContainsKey(FolderVersions.ExchangeQuery)))
        {
            return _versions.AnswerAsync(context, target);
        }

        if (context.Request.Query.ContainsKey(SymbolicLinkEndpoint.Query) && !target.IsFolder)
        {
            if (HttpMethods.IsPost(method))
            {
                return _links.CreateAsync(context, target);
            }

            if (HttpMethods.IsDelete(method))
            {
                return _links.DeleteAsync(context, target);
            }
        }

        if (HttpMethods.IsPut(method))
        {
            return _upload.AnswerAsync(context, target);
        }

        if (HttpMethods.IsDelete(method))
        {
            return _removal.AnswerAsync(context, target);
        }

        if (method == "MOVE")
        {
            return _move.AnswerAsync(context, target);
        }

        if (method == "MKCOL")
        {
            return _creation.AnswerAsync(context, target);
        }

        if (_dav is not null && _dav.TryAnswer(context, target, out Task answering))
        {
            return answering;
        }

        string allowed = _dav is null ? Allowed : store.Documents is null ? DavAllowed : $"{DavAllowed}, LOCK, UNLOCK";
        allowed = target.IsFolder ? $"{allowed}, POST" : allowed;
        context.Response.Headers.Allow = allowed;
        if (HttpMethods.IsOptions(method))
        {
            return AnswerOptionsAsync(context, target);
        }

        throw new Refusal(
            TransferError.InvalidRequest,
            $"'{NameEncoding.Printable(method)}' is not something that can be done with a file here. These can: {allowed}.",
            target.Name.Value)
        {
            Status = StatusCodes.Status405MethodNotAllowed,
            Field = HeaderNames.Allow,
            FieldValue = allowed,
        };
    }

    /// <summary>Finder writes a metadata file beside every file, and one into every folder that it shows.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: it is one, and the server does not keep them.</exception>
    public static void ThrowIfSystemFile(TransferServerOptions options, TransferName name)
    {
        if (options.RefuseSystemFiles
            && name.FileName is var file && (file.StartsWith("._", StringComparison.Ordinal) || file is ".DS_Store" or "Thumbs.db" or "desktop.ini"))
        {
            throw new TransferException(
                TransferError.Forbidden, $"This server does not keep files as '{file}', which systems make for themselves.", name.Value);
        }
    }

    private async Task ReadAsync(HttpContext context, FileTarget target)
    {
        ThrowIfRun(context);
        if (target.IsFolder && LinkSecret.IsIn(context.Request) && RefusalPage.IsWanted(context)
            && await TransferGuard.Of(context).CanDropAsync(context, store, target.Name))
        {
            await RefusalPage.AnswerDropAsync(context, options);
            return;
        }

        try
        {
            await (target.IsFolder || target.Name.IsRoot
                ? _folder.AnswerAsync(context, target)
                : BlockDownload.IsAsked(context.Request) ? _blocks.AnswerAsync(context, target)
                : _download.AnswerAsync(context, target));
        }
        catch (TransferException exception) when (RefusalPage.Answers(context, exception))
        {
            await RefusalPage.AnswerAsync(context, options, exception);
        }
    }

    /// <summary>
    /// The page of this server runs no file of this server: who may store a file could otherwise act for who looks at it, if a name
    /// ever found a way into the page.
    /// </summary>
    private static void ThrowIfRun(HttpContext context)
    {
        IHeaderDictionary fields = context.Request.Headers;
        if (fields["Sec-Fetch-Site"] == "same-origin"
            && fields["Sec-Fetch-Dest"].ToString()
                is ("script" or "worker" or "sharedworker" or "serviceworker" or "audioworklet" or "paintworklet")
            && PageShell.IsServed(context))
        {
            throw new TransferException(TransferError.Forbidden, "Stored files are not run as scripts of this server's page.");
        }
    }

    /// <summary>
    /// Whether a link brings a whole file. That is an ordinary PUT: a link is not valid for uploads, so one that broke off could
    /// not be resumed.
    /// </summary>
    /// <exception cref="TransferException">A link brings a part of a file.</exception>
    private static bool IsWholeByLink(HttpRequest request)
    {
        if (!LinkHandler.Uses(request))
        {
            return false;
        }

        return HttpMethods.IsPut(request.Method) && DraftRequest.IsWhole(request)
            ? true
            : throw new TransferException(TransferError.Forbidden, LinkHandler.Refused);
    }

    private async Task AnswerOptionsAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.Describe, target.Name);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        if (_dav is not null)
        {
            context.Response.Headers["DAV"] = DavAnswer.ClassesOf(store);

            // Windows' own client looks for it.
            context.Response.Headers["MS-Author-Via"] = "DAV";
        }

        DraftUploads.AddLimits(context.Response, store, options);
    }
}
