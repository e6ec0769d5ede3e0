namespace Millrace.Transfer;

/// <summary>What a <see cref="UploadRecord"/> holds.</summary>
/// <param name="Path">The file that is uploaded.</param>
/// <param name="Target">Where it goes.</param>
/// <param name="Upload">Where it is continued.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was last changed, in ticks of UTC.</param>
/// <param name="Parts">Its parts, when it is uploaded over several connections; null otherwise.</param>
internal sealed record UploadNote(
    string Path, string Target, string Upload, long Length, long Modified, IReadOnlyList<UploadPartNote>? Parts = null);
