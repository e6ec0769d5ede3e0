namespace Millrace.Transfer.Server;

/// <summary>Where uploads are started and continued. tus and the draft have the same URLs and the same uploads.</summary>
internal static class UploadEndpoints
{
    public static IEndpointConventionBuilder Map(
        IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions options)
    {
        string root = path.TrimEnd('/');
        RouteGroupBuilder group = endpoints.MapGroup(root);
        RequestDelegate answer = context =>
        {
            var call = new UploadCall(context, store, options, root, IsTus(context.Request));
            return Problems.RunAsync(context, _ => AnswerAsync(call, (string?)context.Request.RouteValues["id"]));
        };
        group.Map("", answer);
        group.Map("{id}", answer);
        PageCors.AllowFiles(group, options.AllowedOrigins);
        return group.WithMetadata(new MethodOverride(), SessionCookie.Accepted);
    }

    /// <summary>
    /// Whether a request to a file's own URL wants a resumable upload by the draft. Also one with a field that cannot be read: as an
    /// ordinary PUT it would publish a part of a file as the whole.
    /// </summary>
    public static bool IsResumable(HttpRequest request) => HasCompleteness(request.Headers) && !DraftRequest.IsPlain(request);

    /// <summary>Answers such a request.</summary>
    public static Task CreateAsync(HttpContext context, IFileStore store, TransferServerOptions options, TransferName name) =>
        DraftUploads.CreateAsync(
            new UploadCall(context, store, options, options.UploadsPath.TrimEnd('/'), isTus: false), name, metadata: null);

    private static Task AnswerAsync(UploadCall call, string? id)
    {
        // tus lets a client name the method in a field, for proxies that know only few.
        string method = call.IsTus && call.Field(UploadHeaders.MethodOverride) is { Length: > 0 } wanted
            ? wanted.ToUpperInvariant()
            : call.Request.Method;
        if (HttpMethods.IsOptions(method))
        {
            call.Response.StatusCode = StatusCodes.Status204NoContent;
            TusUploads.AddCapabilities(call.Response, call.Store);
            DraftUploads.AddLimits(call.Response, call.Store, call.Options);
            return Task.CompletedTask;
        }

        if (call.IsTus && call.Field(TransferHeaders.TusResumable) != UploadHeaders.Version)
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                $"This server supports tus {UploadHeaders.Version}. Every request must have: Tus-Resumable: {UploadHeaders.Version}")
            {
                Status = StatusCodes.Status412PreconditionFailed,
                Field = UploadHeaders.TusVersion,
                FieldValue = UploadHeaders.Version,
            };
        }

        if (id is null)
        {
            return !HttpMethods.IsPost(method) ? RefuseMethod(call, "OPTIONS, POST")
                : call.IsTus ? TusUploads.CreateAsync(call) : DraftUploads.CreateAsync(call);
        }

        if (!UploadId.TryParse(id, out UploadId upload))
        {
            throw new TransferException(TransferError.NotFound, "This is not the URL of an upload. Start a new one.");
        }

        if (!call.IsTus && !HttpMethods.IsPatch(method))
        {
            DraftRequest.ThrowIfAppends(call.Request);
        }

        // A proxy that caches responses asks with GET when a client asks with HEAD, and the draft has both.
        if (HttpMethods.IsHead(method) || HttpMethods.IsGet(method))
        {
            return AnswerStatusAsync(call, upload);
        }

        if (HttpMethods.IsPatch(method))
        {
            return call.IsTus ? TusUploads.AppendAsync(call, upload) : DraftUploads.AppendAsync(call, upload);
        }

        return HttpMethods.IsDelete(method)
            ? DeleteAsync(call, upload)
            : RefuseMethod(call, "OPTIONS, GET, HEAD, PATCH, DELETE");
    }

    /// <summary>
    /// tus names itself in every request. A request that does not, but has one of its media types or fields, is tus without
    /// the version that it needs; everything else is the draft, whose last form will have no version.
    /// </summary>
    private static bool IsTus(HttpRequest request)
    {
        IHeaderDictionary headers = request.Headers;
        return headers.ContainsKey(TransferHeaders.TusResumable)
            || (!HasCompleteness(headers)
                && (string.Equals(request.ContentType, UploadHeaders.TusMediaType, StringComparison.OrdinalIgnoreCase)
                    || headers.ContainsKey(UploadHeaders.UploadDeferLength)
                    || headers.ContainsKey(TransferHeaders.UploadConcat)
                    || (HttpMethods.IsPost(request.Method) && headers.ContainsKey(TransferHeaders.UploadLength))));
    }

    private static bool HasCompleteness(IHeaderDictionary headers) =>
        headers.ContainsKey(TransferHeaders.UploadComplete) || headers.ContainsKey(UploadHeaders.Incomplete);

    private static async Task AnswerStatusAsync(UploadCall call, UploadId id)
    {
        await using UploadSession session = await call.OpenAsync(id, isTransfer: false);
        await session.TakeOverAsync();
        if (session.Status.Published is { } file)
        {
            // For a client that missed the last response.
            call.AddFile(file);
        }
        else if (call.IsTus ? TusUploads.IsDue(session.Status) : DraftUploads.IsDue(session.Status))
        {
            // The client takes an offset that is the length for success. So it must be one: publishing failed, or was
            // interrupted, when the last byte arrived.
            await call.CompleteAsync(session);
        }

        call.Response.StatusCode = call.IsTus ? StatusCodes.Status200OK : StatusCodes.Status204NoContent;
        call.AddStatus(session.Status);
        if (session.Status.Length is { } length)
        {
            call.Response.Headers[TransferHeaders.UploadLength] = UploadCall.Text(length);
        }

        if (call.IsTus)
        {
            TusUploads.AddStart(call, session.Status);
            if (!HttpMethods.IsHead(call.Request.Method))
            {
                call.Response.ContentLength = 0;
            }
        }
    }

    private static async Task DeleteAsync(UploadCall call, UploadId id)
    {
        await using UploadSession session = await call.OpenAsync(id, isTransfer: false);
        if (!await session.DeleteAsync(call.Aborted))
        {
            throw Errors.NoUpload(id);
        }

        call.Response.StatusCode = StatusCodes.Status204NoContent;
        call.AddCommonFields();
    }

    private static Task RefuseMethod(UploadCall call, string allowed)
    {
        call.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
        call.Response.Headers.Allow = allowed;
        call.Response.ContentLength = 0;
        call.AddCommonFields();
        return Task.CompletedTask;
    }
}
