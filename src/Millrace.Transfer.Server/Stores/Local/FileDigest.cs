namespace Millrace.Transfer.Server;

/// <summary>The digest and checksum of a file's bytes.</summary>
/// <param name="Sha256">Their digest.</param>
/// <param name="Crc32">Their checksum for zip files; null for a digest that came without it.</param>
internal readonly record struct FileDigest(Sha256Digest Sha256, uint? Crc32);
