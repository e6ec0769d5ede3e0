namespace Millrace;

/// <summary>How far a copy is.</summary>
/// <param name="CopiedBytes">Bytes of the file that are done, holes included.</param>
/// <param name="TotalBytes">Length of the source when the copy began.</param>
/// <param name="Verifying">Whether the copy is made and is being compared.</param>
public readonly record struct FileCopyProgress(long CopiedBytes, long TotalBytes, bool Verifying);
