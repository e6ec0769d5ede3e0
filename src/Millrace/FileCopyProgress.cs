namespace Millrace;

/// <summary>How far a copy is. Reported every 16 MiB or so and at the end, not more often.</summary>
/// <param name="CopiedBytes">Bytes of the file that are done, holes included; verifying, bytes that were compared.</param>
/// <param name="TotalBytes">
/// How many there will be: the length of the source when the copy began; 0 where it has none, as a FIFO has not.
/// </param>
/// <param name="Verifying">Whether the copy is made and is being compared.</param>
public readonly record struct FileCopyProgress(long CopiedBytes, long TotalBytes, bool Verifying);
