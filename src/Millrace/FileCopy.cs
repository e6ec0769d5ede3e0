namespace Millrace;

/// <summary>What a <see cref="FilePipe.CopyAsync"/> did.</summary>
/// <param name="Length">Length of the copy, in bytes.</param>
/// <param name="CopiedBytes">How many of them were data; the rest are holes, which stay holes.</param>
/// <param name="Method">How, in words for a person: "reflink", "copy_file_range", "read and write".</param>
/// <param name="Sha256">SHA-256 of the content when <see cref="FileCopyOptions.Verify"/> asked for it; else empty.</param>
public readonly record struct FileCopy(long Length, long CopiedBytes, string Method, ReadOnlyMemory<byte> Sha256);
