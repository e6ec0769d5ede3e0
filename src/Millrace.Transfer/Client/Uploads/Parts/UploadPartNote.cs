namespace Millrace.Transfer;

/// <summary>What an <see cref="UploadNote"/> says of a part.</summary>
/// <param name="Length">Its bytes; it begins where the one in front of it ends.</param>
/// <param name="Upload">Where it is continued; null when it was not begun.</param>
internal sealed record UploadPartNote(long Length, string? Upload);
