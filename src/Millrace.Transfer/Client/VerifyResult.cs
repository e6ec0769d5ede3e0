namespace Millrace.Transfer;

/// <summary>How a file here compares with the server's.</summary>
/// <param name="Name">The file in the store.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="LocalLength">Those of the file here.</param>
/// <param name="DifferentBytes">
/// Bytes of the server's file in blocks that are not the same at the same place here; all of them where blocks cannot be compared.
/// </param>
/// <param name="Tag">The version of the server's file.</param>
public sealed record VerifyResult(TransferName Name, long Length, long LocalLength, long DifferentBytes, EntityTag Tag)
{
    /// <summary>Whether both files are the same.</summary>
    public bool IsSame => Length == LocalLength && DifferentBytes == 0;
}
