namespace Millrace.Transfer;

/// <summary>How far a transfer is.</summary>
/// <param name="Transferred">Bytes of the file that the other side has, those of earlier runs included.</param>
/// <param name="Total">Total bytes; null where unknown.</param>
/// <param name="BytesPerSecond">The rate of the last seconds; 0 before the first byte.</param>
/// <param name="Elapsed">Time since the transfer began.</param>
/// <param name="Attempt">1 for the first try, one more for each that continued.</param>
public readonly record struct TransferProgress(
    long Transferred, long? Total, double BytesPerSecond, TimeSpan Elapsed, int Attempt)
{
    /// <summary>The time left at this rate; null where unknown.</summary>
    public TimeSpan? Remaining =>
        Total is { } total && BytesPerSecond > 0
            ? TimeSpan.FromSeconds(Math.Max(0, total - Transferred) / BytesPerSecond)
            : null;
}

/// <summary>How far one file of a folder's transfer is.</summary>
/// <param name="Name">The file in the store.</param>
/// <param name="Path">The file here.</param>
/// <param name="Progress">How far it is.</param>
/// <param name="Result">Its result once it is finished; null before.</param>
/// <param name="Error">Why it failed; null otherwise. The others go on.</param>
public readonly record struct FolderProgress(
    TransferName Name, string Path, TransferProgress Progress, TransferResult? Result, Exception? Error);
