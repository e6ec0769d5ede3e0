using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>
/// What a store refuses because of what is there: a file where a folder would have to be, a folder that is not empty. In HTTP
/// that is 409, because the request is well-formed and would be taken elsewhere, or later.
/// </summary>
internal static class StoreConflict
{
    /// <summary>Waits for a store.</summary>
    /// <param name="work">What it does.</param>
    /// <param name="precondition">The request's: with one, a name that is taken is a condition that is not met.</param>
    /// <exception cref="Refusal">409.</exception>
    public static async ValueTask<T> AskAsync<T>(ValueTask<T> work, WritePrecondition precondition)
    {
        try
        {
            return await work.ConfigureAwait(false);
        }
        catch (TransferException exception) when (
            exception.Error == TransferError.InvalidRequest
            || (exception.Error == TransferError.AlreadyExists && !precondition.CreateNew))
        {
            throw new Refusal(
                exception.Error, exception.Message, exception.Name)
            {
                Status = StatusCodes.Status409Conflict,
            };
        }
    }
}
