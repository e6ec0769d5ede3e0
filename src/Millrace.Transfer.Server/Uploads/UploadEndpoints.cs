using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

/// <summary>Where uploads are created and continued. Both protocols have the same URLs and the same uploads.</summary>
internal static class UploadEndpoints
{
    public static IEndpointConventionBuilder Map(
        IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions options)
    {
        string root = path.TrimEnd('/');
        RouteGroupBuilder group = endpoints.MapGroup(root);
        RequestDelegate all = context => AnswerAsync(new UploadCall(context, store, options, root), id: null);
        RequestDelegate one = context => AnswerAsync(
            new UploadCall(context, store, options, root), (string?)context.Request.RouteValues["id"]);
        group.Map("", all);
        group.Map("{id}", one);
        return group;
    }

    private static Task AnswerAsync(UploadCall call, string? id)
    {
        HttpRequest request = call.Request;
        call.Protocol = ProtocolOf(request);
        if (call.IsTus && request.Headers[UploadHeaders.MethodOverride].ToString() is { Length: > 0 } method)
        {
            call.Method = method.ToUpperInvariant();
        }

        if (HttpMethods.IsOptions(call.Method))
        {
            return TellAbilitiesAsync(call);
        }

        if (call.IsTus && request.Headers[TransferHeaders.TusResumable].ToString() != UploadHeaders.Version)
        {
            return UploadProblems.RunAsync(call, RefuseVersionAsync);
        }

        if (id is null)
        {
            return UploadProblems.RunAsync(call, CreateAsync);
        }

        return UploadProblems.RunAsync(
            call,
            known => UploadId.TryParse(id, out UploadId upload)
                ? ContinueAsync(known, upload)
                : throw new TransferException(TransferError.NotFound, "This is not the URL of an upload. Begin a new one."));
    }

    /// <summary>
    /// tus says itself in every request. What says nothing but has one of its media types or fields is tus without the
    /// version that it needs; everything else is the draft, whose last form will have no version.
    /// </summary>
    private static UploadProtocol ProtocolOf(HttpRequest request)
    {
        IHeaderDictionary headers = request.Headers;
        bool isTus = headers.ContainsKey(TransferHeaders.TusResumable)
            || (!headers.ContainsKey(TransferHeaders.UploadComplete)
                && (string.Equals(request.ContentType, UploadHeaders.TusMediaType, StringComparison.OrdinalIgnoreCase)
                    || headers.ContainsKey(UploadHeaders.UploadDeferLength)
                    || headers.ContainsKey(TransferHeaders.UploadConcat)
                    || (HttpMethods.IsPost(request.Method) && headers.ContainsKey(TransferHeaders.UploadLength))));
        return isTus ? UploadProtocol.Tus : UploadProtocol.Draft;
    }

    private static Task TellAbilitiesAsync(UploadCall call)
    {
        call.Response.StatusCode = StatusCodes.Status204NoContent;
        UploadAnswers.AddAbilities(call.Response, call.Store);
        return Task.CompletedTask;
    }

    private static Task RefuseVersionAsync(UploadCall call)
    {
        call.RefusalStatus = StatusCodes.Status412PreconditionFailed;
        call.Response.OnStarting(
            static state =>
            {
                ((HttpResponse)state).Headers[UploadHeaders.TusVersion] = UploadHeaders.Version;
                return Task.CompletedTask;
            },
            call.Response);
        throw new TransferException(
            TransferError.InvalidRequest,
            $"This server speaks tus {UploadHeaders.Version}. Say so in every request: Tus-Resumable: {UploadHeaders.Version}");
    }

    private static Task CreateAsync(UploadCall call)
    {
        if (!HttpMethods.IsPost(call.Method))
        {
            return RefuseMethodAsync(call, "OPTIONS, POST");
        }

        return call.IsTus ? TusCreation.CreateAsync(call) : DraftCreation.CreateNamedAsync(call);
    }

    private static Task ContinueAsync(UploadCall call, UploadId id)
    {
        if (HttpMethods.IsHead(call.Method))
        {
            return call.IsTus ? TusStatus.AnswerAsync(call, id) : DraftStatus.AnswerAsync(call, id);
        }

        if (HttpMethods.IsPatch(call.Method))
        {
            return call.IsTus ? TusAppend.AppendAsync(call, id) : DraftAppend.AppendAsync(call, id);
        }

        return HttpMethods.IsDelete(call.Method)
            ? DeleteAsync(call, id)
            : RefuseMethodAsync(call, "OPTIONS, HEAD, PATCH, DELETE");
    }

    private static async Task DeleteAsync(UploadCall call, UploadId id)
    {
        (_, TransferPass pass) = await UploadLookup.EnterAsync(call, id, isTransfer: false).ConfigureAwait(false);
        using TransferPass entered = pass;
        if (!await call.Store.AbortUploadAsync(id, call.Context.RequestAborted).ConfigureAwait(false))
        {
            throw UploadLookup.Missing(id);
        }

        call.Response.StatusCode = StatusCodes.Status204NoContent;
        call.AddCommonFields();
    }

    private static Task RefuseMethodAsync(UploadCall call, string allowed)
    {
        call.Response.StatusCode = StatusCodes.Status405MethodNotAllowed;
        call.Response.Headers.Allow = allowed;
        call.Response.ContentLength = 0;
        call.AddCommonFields();
        return Task.CompletedTask;
    }
}
