using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Answers unexpected exceptions as the endpoints do: with a status and a problem document.</summary>
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
            await Problems.AnswerAsync(context, Problems.Translate(exception)).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client is gone.
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
}
