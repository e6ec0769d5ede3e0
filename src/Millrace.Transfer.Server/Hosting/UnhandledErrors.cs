using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Answers what no endpoint expected as endpoints answer: with a status and a problem document.</summary>
internal static class UnhandledErrors
{
    public static async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        try
        {
            await next(context).ConfigureAwait(false);
        }
        catch (BadHttpRequestException exception)
        {
            // Kestrel's own limits, met while a body was read.
            await Problems.AnswerAsync(context, Translate(exception)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody is there any more who could be told.
        }
        catch (IOException exception) when (!context.RequestAborted.IsCancellationRequested)
        {
            await Problems.AnswerAsync(
                context,
                new TransferException(TransferError.Failed, "The server failed at this; its log says why.", innerException: exception))
                .ConfigureAwait(false);
            throw;
        }
    }

    private static TransferException Translate(BadHttpRequestException exception) => exception.StatusCode switch
    {
        StatusCodes.Status408RequestTimeout => new TransferException(
            TransferError.TooSlow, "The body came too slowly. Continue it with a resumable upload.", innerException: exception),
        StatusCodes.Status413PayloadTooLarge => new TransferException(
            TransferError.TooLarge, "The body is larger than this server accepts.", innerException: exception),
        _ => new TransferException(TransferError.InvalidRequest, exception.Message, innerException: exception),
    };
}
