using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Answers unexpected exceptions as the endpoints do: with a status and a problem document.</summary>
internal static class UnhandledErrors
{
    public static async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        try
        {
            await Problems.RunAsync(context, next.Invoke).ConfigureAwait(false);
        }
        catch (IOException exception)
        {
            await Problems.AnswerAsync(
                context, new Refusal(TransferError.Failed, "The server failed; see its log.", innerException: exception))
                .ConfigureAwait(false);
            throw;
        }
    }
}
