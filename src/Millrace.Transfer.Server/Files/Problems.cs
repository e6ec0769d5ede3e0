using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Answers what was refused: the status, and a problem document that says why.</summary>
internal static class Problems
{
    /// <summary>Runs an endpoint and answers what it throws.</summary>
    public static async Task RunAsync(HttpContext context, Func<HttpContext, Task> endpoint)
    {
        try
        {
            await endpoint(context).ConfigureAwait(false);
        }
        catch (TransferException exception)
        {
            await AnswerAsync(context, exception).ConfigureAwait(false);
        }
        catch (FilePipeException exception)
        {
            await AnswerAsync(context, Translate(exception)).ConfigureAwait(false);
        }
        catch (HttpRefusal refusal)
        {
            await AnswerAsync(context, refusal).ConfigureAwait(false);
        }
        catch (BadHttpRequestException exception)
        {
            // A body that ended early, came too slowly or was framed wrongly: the server's own finding.
            await AnswerAsync(context, Translate(exception)).ConfigureAwait(false);
        }
        catch (Exception exception) when (
            exception is (OperationCanceledException or IOException)
            && context.RequestAborted.IsCancellationRequested)
        {
            // The client went away, which is its right and no news.
        }
        catch (Exception exception) when (exception is ConnectionResetException or ConnectionAbortedException)
        {
            // The same, noticed while its body was being read.
        }
    }

    public static int StatusOf(TransferError error) => error switch
    {
        TransferError.NotFound => StatusCodes.Status404NotFound,
        TransferError.InvalidName or TransferError.InvalidRequest or TransferError.DigestMismatch =>
            StatusCodes.Status400BadRequest,
        TransferError.AlreadyExists or TransferError.PreconditionFailed => StatusCodes.Status412PreconditionFailed,
        TransferError.RangeNotSatisfiable => StatusCodes.Status416RangeNotSatisfiable,
        TransferError.OffsetMismatch or TransferError.UploadComplete or TransferError.TakenOver
            or TransferError.Changed => StatusCodes.Status409Conflict,
        TransferError.TooLarge => StatusCodes.Status413PayloadTooLarge,
        TransferError.NoSpace => StatusCodes.Status507InsufficientStorage,
        TransferError.Unauthorized => StatusCodes.Status401Unauthorized,
        TransferError.Forbidden => StatusCodes.Status403Forbidden,
        TransferError.TooManyTransfers => StatusCodes.Status429TooManyRequests,
        TransferError.TooSlow => StatusCodes.Status408RequestTimeout,
        _ => StatusCodes.Status500InternalServerError,
    };

    /// <summary>Answers; where an answer has begun already, the connection is ended, so that nobody takes it for whole.</summary>
    public static Task AnswerAsync(HttpContext context, TransferException exception)
    {
        if (!TryBegin(context, StatusOf(exception.Error)))
        {
            return Task.CompletedTask;
        }

        HttpResponse response = context.Response;
        if (exception.RetryAfter is { } wait)
        {
            response.Headers[HeaderNames.RetryAfter] =
                Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }

        if (exception.Error == TransferError.Unauthorized)
        {
            response.Headers[HeaderNames.WWWAuthenticate] = "Bearer";
        }

        return WriteAsync(context, exception.Error, exception.Message, exception.Name);
    }

    /// <summary>Answers with a status that the refusal itself names.</summary>
    public static Task AnswerAsync(HttpContext context, HttpRefusal refusal)
    {
        if (!TryBegin(context, refusal.Status))
        {
            return Task.CompletedTask;
        }

        if (refusal.Field is { } field)
        {
            context.Response.Headers[field] = refusal.FieldValue;
        }

        return WriteAsync(context, refusal.Error, refusal.Message, refusal.Name);
    }

    public static TransferException Translate(FilePipeException exception) => StoreErrors.Translate(exception);

    public static HttpRefusal Translate(BadHttpRequestException exception) => new(
        exception.StatusCode,
        exception.StatusCode switch
        {
            StatusCodes.Status408RequestTimeout => TransferError.TooSlow,
            StatusCodes.Status413PayloadTooLarge => TransferError.TooLarge,
            _ => TransferError.InvalidRequest,
        },
        $"The request could not be read to its end: {exception.Message} Nothing was stored; send it again.");

    /// <returns>False when an answer has begun already; the connection is ended then.</returns>
    private static bool TryBegin(HttpContext context, int status)
    {
        HttpResponse response = context.Response;
        if (response.HasStarted)
        {
            context.Abort();
            return false;
        }

        // Fields that were meant for an answer of another kind.
        response.Clear();
        response.StatusCode = status;
        response.ContentType = ErrorDocument.MediaType;
        response.Headers.CacheControl = "no-store";
        response.Headers.XContentTypeOptions = "nosniff";
        return true;
    }

    private static async Task WriteAsync(HttpContext context, TransferError error, string message, string? name)
    {
        HttpResponse response = context.Response;
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(
            new ErrorDocument
            {
                Title = error.ToString(),
                Status = response.StatusCode,
                Detail = message,
                Error = error.ToString(),
                Name = string.IsNullOrEmpty(name) ? null : name,
            },
            TransferJson.Default.ErrorDocument);
        response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await response.Body.WriteAsync(body, context.RequestAborted).ConfigureAwait(false);
        }
    }
}
