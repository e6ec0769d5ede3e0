namespace Millrace;

/// <summary>What a <see cref="FilePipeWriter.CommitAsync"/> published.</summary>
/// <param name="Length">Length of the file, in bytes.</param>
/// <param name="Sha256">
/// SHA-256 of the whole content, 32 bytes, when <see cref="FileWriteOptions.ComputeSha256"/> asked for it; else empty.
/// </param>
public readonly record struct CommitResult(long Length, ReadOnlyMemory<byte> Sha256);
