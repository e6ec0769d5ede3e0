using System.Globalization;
using System.Text.Json;
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
    public static async Task AnswerAsync(HttpContext context, TransferException exception)
    {
        HttpResponse response = context.Response;
        if (response.HasStarted)
        {
            context.Abort();
            return;
        }

        // Fields that were meant for an answer of another kind.
        response.Clear();
        response.StatusCode = StatusOf(exception.Error);
        response.ContentType = ErrorDocument.MediaType;
        if (exception.RetryAfter is { } wait)
        {
            response.Headers[HeaderNames.RetryAfter] =
                Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }

        if (exception.Error == TransferError.Unauthorized)
        {
            response.Headers[HeaderNames.WWWAuthenticate] = "Bearer";
        }

        byte[] body = JsonSerializer.SerializeToUtf8Bytes(
            new ErrorDocument
            {
                Title = exception.Error.ToString(),
                Status = response.StatusCode,
                Detail = exception.Message,
                Error = exception.Error.ToString(),
                Name = exception.Name,
            },
            TransferJson.Default.ErrorDocument);
        response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await response.Body.WriteAsync(body, context.RequestAborted).ConfigureAwait(false);
        }
    }

    public static TransferException Translate(FilePipeException exception) => StoreErrors.Translate(exception);
}
