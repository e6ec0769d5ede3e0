namespace Millrace.Transfer;

/// <summary>A part of a file that is uploaded by itself. Changed by <see cref="UploadParts"/> and by whoever took it.</summary>
/// <param name="offset">Where it begins in the file.</param>
/// <param name="length">Its bytes.</param>
internal sealed class UploadPart(long offset, long length)
{
    public long Offset { get; } = offset;

    public long Length { get; } = length;

    /// <summary>Where it is continued; null before it is begun.</summary>
    public Uri? Upload { get; set; }

    /// <summary>Whether the server has to say how much of it it has.</summary>
    public bool AskFirst { get; set; }

    /// <summary>Whether somebody sends it, or has.</summary>
    public bool IsTaken { get; set; }
}
