namespace Millrace.Transfer;

/// <summary>The word for an error that programs read, the same in every protocol: in problem documents, gRPC's fields, traces, metrics and JSON.</summary>
internal static class ErrorCode
{
    /// <summary>A member may be renamed, its word stays: clients and servers of different versions talk to each other.</summary>
    private const string Superseded = "TakenOver";

    public static string Of(TransferError error) => error == TransferError.Superseded ? Superseded : error.ToString();

    /// <summary>Reads the word, and the name of the member where that is another, as later servers may write it.</summary>
    public static bool TryParse(string? word, out TransferError error)
    {
        if (string.Equals(word, Superseded, StringComparison.Ordinal))
        {
            error = TransferError.Superseded;
            return true;
        }

        return Enum.TryParse(word, out error) && Enum.IsDefined(error);
    }
}
