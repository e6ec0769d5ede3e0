namespace Millrace.Transfer;

/// <summary>What the server says to a part of an upload, or to a whole one.</summary>
/// <param name="Offset">Bytes that it has; null where it did not say.</param>
/// <param name="Complete">Whether the file is published.</param>
/// <param name="Tag">The version that was published, where it said so.</param>
/// <param name="Sha256">The digest that it has, where it said so.</param>
internal readonly record struct UploadAnswer(long? Offset, bool Complete, EntityTag? Tag, Sha256Digest? Sha256);
