namespace Millrace.Transfer.Server;

/// <summary>
/// Turns a store's refusal because of existing files (a file where a folder would have to be, a folder that is not empty) into
/// 409: the request is well-formed and would succeed elsewhere, or later.
/// </summary>
internal static class StoreConflict
{
    /// <summary>Waits for a store.</summary>
    /// <exception cref="Refusal">409.</exception>
    public static async ValueTask<T> AskAsync<T>(ValueTask<T> work, WritePrecondition precondition)
    {
        try
        {
            return await work;
        }
        catch (TransferException exception) when (
            exception.Error == TransferError.InvalidRequest
            || (exception.Error == TransferError.AlreadyExists && !precondition.CreateNew))
        {
            throw new Refusal(
                exception.Error, exception.Message, exception.Name)
            {
                Status = exception.Status ?? StatusCodes.Status409Conflict,
                Omitted = exception.Omitted,
                Hidden = exception.Hidden,
            };
        }
    }
}
