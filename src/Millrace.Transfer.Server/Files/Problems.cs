using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Connections;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The one place that turns a refusal into an HTTP response: the status, and a problem document (RFC 9457).</summary>
/// <remarks>A request to an upload adds the fields of its protocol: <see cref="UploadCall"/>.</remarks>
internal static class Problems
{
    /// <summary>
    /// Runs an endpoint and answers the refusals that it throws, unless that is done for the whole application: in one place for each
    /// request.
    /// </summary>
    public static Task RunAsync(HttpContext context, Func<HttpContext, Task> endpoint) =>
        context.Features.Get<Everything>() is null ? AnswerRefusalsAsync(context, endpoint) : endpoint(context);

    /// <summary>The same for a whole application: also answers unexpected exceptions, which are logged too.</summary>
    public static async Task RunAllAsync(HttpContext context, RequestDelegate next)
    {
        context.Features.Set(Everything.Answered);
        try
        {
            await AnswerRefusalsAsync(context, next.Invoke);
        }
        catch (IOException exception)
        {
            await AnswerAsync(
                context, new Refusal(TransferError.Failed, "The server failed; see its log.", innerException: exception));
            throw;
        }
    }

    public static int StatusOf(TransferError error) => error switch
    {
        TransferError.NotFound => StatusCodes.Status404NotFound,
        TransferError.InvalidName or TransferError.InvalidRequest or TransferError.DigestMismatch =>
            StatusCodes.Status400BadRequest,
        TransferError.AlreadyExists or TransferError.PreconditionFailed => StatusCodes.Status412PreconditionFailed,
        TransferError.RangeNotSatisfiable => StatusCodes.Status416RangeNotSatisfiable,
        TransferError.OffsetMismatch or TransferError.UploadComplete or TransferError.Superseded
            or TransferError.Changed => StatusCodes.Status409Conflict,
        TransferError.TooLarge => StatusCodes.Status413PayloadTooLarge,
        TransferError.NoSpace => StatusCodes.Status507InsufficientStorage,
        TransferError.Unauthorized => StatusCodes.Status401Unauthorized,
        TransferError.Forbidden => StatusCodes.Status403Forbidden,
        TransferError.TooManyTransfers => StatusCodes.Status429TooManyRequests,
        TransferError.Unavailable => StatusCodes.Status503ServiceUnavailable,
        TransferError.TooSlow => StatusCodes.Status408RequestTimeout,
        _ => StatusCodes.Status500InternalServerError,
    };

    public static Task AnswerAsync(HttpContext context, TransferException exception) =>
        AnswerAsync(context, Refusal.Of(exception)!);

    /// <summary>Writes the response; if one has begun, aborts the connection, so that the client does not take a part for the whole.</summary>
    public static async Task AnswerAsync(HttpContext context, Refusal refusal)
    {
        HttpResponse response = context.Response;
        if (response.HasStarted)
        {
            TransferObservation.Cut(context);
            return;
        }

        UploadCall? upload = context.Features.Get<UploadCall>();
        // Fields that were meant for another response.
        response.Clear();
        (response.StatusCode, string type) = upload?.Classify(refusal) ?? (refusal.Status ?? StatusOf(refusal.Error), "about:blank");
        IHeaderDictionary headers = response.Headers;
        headers.ContentType = ErrorDocument.MediaType;
        headers.CacheControl = CacheControlHeaderValue.NoStoreString;
        headers.XContentTypeOptions = "nosniff";
        if (refusal.Field is { } field)
        {
            headers[field] = refusal.FieldValue;
        }

        if (refusal.RetryAfter is { } wait)
        {
            headers.RetryAfter = Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }

        if (refusal.Error == TransferError.Unauthorized)
        {
            headers.WWWAuthenticate = BasicCredentials.ChallengeOf(context);
        }

        upload?.AddRefusalFields(refusal);
        if (DavAnswer.ErrorOf(context, refusal, response.StatusCode) is { } error)
        {
            await DavAnswer.SendAsync(context, error);
            return;
        }

        bool isOffset = refusal.Error == TransferError.OffsetMismatch && upload is not null;
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(
            new ErrorDocument
            {
                Type = type,
                Title = ErrorCode.Of(refusal.Error),
                Status = response.StatusCode,
                Detail = refusal.Message,
                Error = ErrorCode.Of(refusal.Error),
                Name = string.IsNullOrEmpty(refusal.Name) ? null : refusal.Name,
                Omitted = refusal.Omitted,
                Hidden = refusal.Hidden,
                ExpectedOffset = isOffset ? refusal.Offset : null,
                ProvidedOffset = isOffset ? refusal.ProvidedOffset : null,
            },
            TransferJson.Default.ErrorDocument);
        if (context.RequestAborted.IsCancellationRequested)
        {
            TransferObservation.Cut(context);
            return;
        }

        // Only in applications with AddProblemDetails, whose customization then applies to these problems, too.
        if (context.RequestServices.GetService<IProblemDetailsService>() is { } service
            && await service.TryWriteAsync(new ProblemDetailsContext
            {
                HttpContext = context,
                ProblemDetails = JsonSerializer.Deserialize(body, ServerJson.Default.ProblemDetails)!,
                Exception = refusal,
            }))
        {
            return;
        }

        response.ContentLength = body.Length;
        if (!string.Equals(context.Request.Method, HttpMethods.Head, StringComparison.Ordinal))
        {
            await response.Body.WriteAsync(body, context.RequestAborted);
        }
    }

    private static async Task AnswerRefusalsAsync(HttpContext context, Func<HttpContext, Task> endpoint)
    {
        try
        {
            ThrowIfNoMethod(context.Request.Method);
            await endpoint(context);
        }
        catch (Exception exception) when (Refusal.Of(exception) is { } refusal)
        {
            await AnswerAsync(context, refusal);
        }
        catch (Exception exception) when (IsDisconnect(context, exception))
        {
            // The store keeps the received bytes, and the client is gone.
            TransferObservation.Cut(context);
        }
        catch when (context.Response.HasStarted)
        {
            TransferObservation.Cut(context);
            throw;
        }
    }

    /// <summary>
    /// Methods are case-sensitive (RFC 9110, section 9.1), for Kestrel too: a response to "head" that it does not take for one to HEAD would lack
    /// its body. The framework's routing and its HttpMethods ignore case.
    /// </summary>
    private static void ThrowIfNoMethod(string method)
    {
        if (method.AsSpan().ContainsAnyInRange('a', 'z'))
        {
            throw new Refusal(
                TransferError.InvalidRequest, $"Unknown method '{method}': methods are written in capital letters.")
            {
                Status = StatusCodes.Status501NotImplemented,
            };
        }
    }

    /// <summary>Whether the client has gone away, which is its right and not worth a line in the log.</summary>
    /// <remarks>Kestrel wraps a <see cref="ConnectionAbortedException"/> where the peer broke HTTP/2's rules, before it cancels the request.</remarks>
    internal static bool IsDisconnect(HttpContext context, Exception exception) =>
        exception is ConnectionResetException or ConnectionAbortedException or IOException { InnerException: ConnectionAbortedException }
        || (exception is OperationCanceledException or IOException && context.RequestAborted.IsCancellationRequested);

    /// <summary>Marks a request whose refusals are answered for the whole application.</summary>
    private sealed class Everything
    {
        public static readonly Everything Answered = new();
    }
}
