using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>Whether a request takes hidden files along with the folder that it deletes or moves.</summary>
internal static class HiddenFiles
{
    private const string Query = "hidden";

    /// <summary>Reads <c>?hidden</c>.</summary>
    /// <exception cref="Refusal">The parameter has another value than <c>true</c>.</exception>
    public static bool AreIncluded(HttpRequest request)
    {
        if (!request.QueryString.HasValue || !request.Query.TryGetValue(Query, out StringValues values))
        {
            return false;
        }

        // Not taken for granted as with other flags: 'hidden=false' must not delete anything.
        return values is [null or "" or "true"]
            ? true
            : throw new Refusal(TransferError.InvalidRequest, "'hidden' of the query has no value, or 'true'. Leave it out to keep a folder with hidden files.");
    }
}
