namespace Millrace.Transfer;

/// <summary>How far one file of a folder's transfer is.</summary>
/// <param name="Name">The file in the store.</param>
/// <param name="Path">The file here.</param>
/// <param name="Progress">How far it is.</param>
/// <param name="Result">Its result once it is finished; null before.</param>
/// <param name="Error">Why it failed; null otherwise. The others go on.</param>
public readonly record struct FolderProgress(
    TransferName Name, string Path, TransferProgress Progress, TransferResult? Result, Exception? Error);
