namespace Millrace;

/// <summary>What a <see cref="FilePipe.CopyAsync"/> did.</summary>
/// <param name="Length">Length of the copy, in bytes.</param>
/// <param name="CopiedBytes">
/// How many of them were read and written, by the kernel or here. The rest are holes, which stay holes, or blocks that
/// the copy shares with its source: 0 for a reflink.
/// </param>
/// <param name="Method">
/// How, in words for a person: "reflink", "copy_file_range", "read and write", or "copy_file_range, read and write" when
/// the system gave up halfway.
/// </param>
/// <param name="Sha256">SHA-256 of the content when <see cref="FileCopyOptions.Verify"/> asked for it; else empty.</param>
public readonly record struct CopyResult(long Length, long CopiedBytes, string Method, ReadOnlyMemory<byte> Sha256);
