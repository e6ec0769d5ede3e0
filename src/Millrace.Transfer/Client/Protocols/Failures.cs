using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>Makes one kind of exception of everything that ends a request, and decides whether a retry may help.</summary>
internal static class Failures
{
    /// <summary>What a server without a trash is refused with before it is asked.</summary>
    public static TransferException NoTrash() => new(
        TransferError.NotFound, "This server keeps no deleted files. Its owner can change that.");

    /// <summary>Describes an answer that refuses.</summary>
    public static async ValueTask<TransferException> ReadAsync(
        HttpResponseMessage response, ProtocolCall call, TimeProvider clock, CancellationToken cancellationToken)
    {
        int status = (int)response.StatusCode;
        ErrorDocument? document = await ReadDocumentAsync(response, cancellationToken).ConfigureAwait(false);
        bool isForeign = !ErrorCode.TryParse(document?.Error, out TransferError told);
        TransferError error = !isForeign
            ? told
            : status == 409 && response.RequestMessage?.Method == HttpMethod.Head && response.Headers.RetryAfter is null
                // A response to HEAD has no document, and the request had no offset that could be another one.
                ? TransferError.Failed
                : ErrorOf(status);
        return Make(call, error, status, response.ReasonPhrase, document, isForeign, OffsetOf(response), RetryAfterOf(response, clock));
    }

    /// <summary>Describes the refusal of one file of several that a request brought.</summary>
    /// <returns>The same as for a request of its own.</returns>
    public static TransferException Of(ProtocolCall call, int status, string? error, string? detail)
    {
        bool isForeign = !ErrorCode.TryParse(error, out TransferError told);
        using var response = new HttpResponseMessage((HttpStatusCode)status);
        return Make(
            call, isForeign ? ErrorOf(status) : told, status, response.ReasonPhrase, new ErrorDocument { Detail = detail ?? "" }, isForeign);
    }

    private static TransferException Make(
        ProtocolCall call, TransferError error, int status, string? phrase, ErrorDocument? document, bool isForeign,
        long? offset = null, TimeSpan? retryAfter = null)
    {
        string detail = document is { Detail.Length: > 0 } ? document.Detail : Advice(status);
        return new TransferException(
            error,
            $"{call.Verb} '{call.Name}' over {ProtocolNames.Of(call.Protocol)}: the server answered {status} ({phrase}). {detail}",
            call.Name)
        {
            Status = status,
            Protocol = call.Protocol,
            Offset = offset,
            Omitted = document?.Omitted,
            Hidden = document?.Hidden,
            Reason = document is { Detail.Length: > 0 } ? detail : $"The server answered {status} ({phrase}). {detail}",
            RetryAfter = retryAfter,
            IsForeign = isForeign,

            // A lock of a Millrace server lasts longer than retries; other servers of tus lock an upload for one request.
            IsTransient = IsTransient(error, otherwise: (status == 423 && isForeign) || status is 408 or 425 or 429 or 500 or 502 or 503 or 504),
        };
    }

    /// <summary>The exception to throw where the source of an upload could not be read: a retry does not help.</summary>
    public static Exception OfSource(Exception failure, ProtocolCall call) =>
        failure is TransferException or FilePipeException or OperationCanceledException
            ? failure
            : new TransferException(
                TransferError.Failed,
                $"{call.Verb} '{call.Name}': the source could not be read: {failure.Message}",
                call.Name,
                failure);

    /// <summary>Describes what ended a request without an answer.</summary>
    /// <returns>The exception to throw; the same one if it is not about the connection.</returns>
    public static Exception Translate(Exception exception, ProtocolCall call, IdleWatch watch)
    {
        if (exception is TransferException or FilePipeException)
        {
            return exception;
        }

        if (watch.Caller.IsCancellationRequested)
        {
            return new OperationCanceledException($"{call.Verb} '{call.Name}' was canceled.", exception, watch.Caller);
        }

        if (watch.IsIdle)
        {
            return Disconnected(
                call, exception, $"nothing moved for {watch.Timeout.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture)} s");
        }

        return exception switch
        {
            HttpRequestException { HttpRequestError: HttpRequestError.SecureConnectionError } => Make(
                TransferError.Disconnected,
                call,
                $"TLS failed: {Innermost(exception)}. Check the server's certificate; one of an authority of your own needs that authority's certificate here ({nameof(TransferClientOptions.CaCertificatePath)}).",
                exception),
            HttpRequestException { HttpRequestError: HttpRequestError.ProxyTunnelError } => Make(
                TransferError.Disconnected,
                call,
                $"the proxy that HTTPS_PROXY names did not pass it on: {exception.Message.TrimEnd('.')}. Check the proxy's address and credentials, or name the server in NO_PROXY.",
                exception,
                isTransient: true),
            HttpRequestException { HttpRequestError: HttpRequestError.VersionNegotiationError } => Make(
                TransferError.ProtocolNotOffered, call, "the server does not support this protocol at this address. Use another one.", exception),
            // HttpClient passes on its socket's own exception where a connection ends before its first request.
            HttpRequestException or IOException or SocketException or OperationCanceledException => Disconnected(call, exception, Innermost(exception)),
            _ => exception,
        };
    }

    public static TransferException Disconnected(ProtocolCall call, Exception? inner, string why) => Make(
        TransferError.Disconnected,
        call,
        $"the connection failed: {why}. Check that the server is running, then try again.",
        inner,
        isTransient: true,
        inner switch
        {
            HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError } => $"Cannot connect: {inner.Message.TrimEnd('.')}. Is the server running?",
            HttpRequestException { HttpRequestError: HttpRequestError.NameResolutionError } => $"Cannot connect: {inner.Message.TrimEnd('.')}. Is the host's name right?",
            _ => null,
        });

    /// <summary>The published file is not the one that was sent.</summary>
    /// <param name="call">The upload.</param>
    /// <param name="how">What differs: a sentence and a space.</param>
    public static TransferException Different(ProtocolCall call, string how) => Make(
        TransferError.DigestMismatch,
        call,
        $"the uploaded file differs from the source: {how}It was replaced meanwhile, or the source changed; check it and upload it again.");

    public static TransferException Protocol(ProtocolCall call, string what) => Make(
        TransferError.Protocol, call, $"{what}. A proxy changed the response, or this is not a Millrace server.");

    public static TransferException Make(
        TransferError error, ProtocolCall call, string what, Exception? inner = null, bool isTransient = false, string? reason = null) =>
        new(error, $"{call.Verb} '{call.Name}' over {ProtocolNames.Of(call.Protocol)}: {what}", call.Name, inner)
        {
            Protocol = call.Protocol,
            Reason = reason ?? $"{char.ToUpperInvariant(what[0])}{what[1..]}",
            IsTransient = isTransient,
        };

    private static string Innermost(Exception exception)
    {
        while (exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception.Message.TrimEnd('.');
    }

    private static async ValueTask<ErrorDocument?> ReadDocumentAsync(
        HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.Content.Headers.ContentType?.MediaType is not ErrorDocument.MediaType)
        {
            return null;
        }

        try
        {
            return await BoundedJson.ReadAsync(
                response, BoundedJson.MaxDocument, TransferJson.Default.ErrorDocument, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is JsonException or HttpRequestException or IOException or SocketException)
        {
            // The status is enough.
            return null;
        }
    }

    /// <summary>Whether another attempt may help.</summary>
    public static bool IsTransient(TransferError error, bool otherwise) => error switch
    {
        TransferError.OffsetMismatch or TransferError.Superseded or TransferError.UploadComplete => true,
        TransferError.TooManyTransfers or TransferError.TooSlow or TransferError.Disconnected or TransferError.Unavailable => true,
        TransferError.NoSpace or TransferError.Unauthorized or TransferError.Forbidden => false,
        _ => otherwise,
    };

    private static TransferError ErrorOf(int status) => status switch
    {
        301 or 302 or 303 or 307 or 308 => TransferError.NotFound,
        400 => TransferError.InvalidRequest,
        401 => TransferError.Unauthorized,
        403 => TransferError.Forbidden,
        404 or 410 => TransferError.NotFound,
        408 => TransferError.TooSlow,
        409 => TransferError.OffsetMismatch,
        412 => TransferError.PreconditionFailed,
        413 => TransferError.TooLarge,
        416 => TransferError.RangeNotSatisfiable,
        429 => TransferError.TooManyTransfers,
        460 => TransferError.DigestMismatch,
        503 => TransferError.Unavailable,
        507 => TransferError.NoSpace,
        _ => TransferError.Failed,
    };

    private static string Advice(int status) => status switch
    {
        301 or 302 or 303 or 307 or 308 =>
            "It redirects to another address, to which tokens are not sent: use that address, with a final slash for a folder.",
        401 => "Use a valid token.",
        403 => "The token does not allow it; ask for one that does.",
        404 or 410 => "Check the name.",
        405 or 415 or 501 => "The server does not support this; use another protocol.",
        412 => "Check the current file, then decide.",
        413 => "The file is larger than the server accepts, or than what a proxy in front of it lets through in one request: raise the limit of "
            + "the proxy (nginx: client_max_body_size, Apache: LimitRequestBody), or give the server the limit of the proxy.",
        507 => "The server has no free space; free some, then try again.",
        _ => "It gave no reason.",
    };

    private static long? OffsetOf(HttpResponseMessage response) =>
        response.Headers.TryGetValues(TransferHeaders.UploadOffset, out IEnumerable<string>? values)
        && long.TryParse(values.First(), NumberStyles.None, CultureInfo.InvariantCulture, out long offset)
            ? offset
            : null;

    /// <summary>How long a response asks to wait, in seconds or until a date; null if it does not.</summary>
    public static TimeSpan? RetryAfterOf(HttpResponseMessage response, TimeProvider clock)
    {
        RetryConditionHeaderValue? wait = response.Headers.RetryAfter;
        TimeSpan? asked = wait?.Delta ?? (wait?.Date - clock.GetUtcNow());
        return asked is { } time && time < TimeSpan.Zero ? TimeSpan.Zero : asked;
    }
}
