namespace Millrace.Transfer.S3;

/// <summary>The parts of a file that the bucket has, without a gap.</summary>
/// <param name="Tags">The tag of each part.</param>
/// <param name="End">Their bytes.</param>
/// <param name="Hash">The hash of these bytes; it is not appended to.</param>
internal sealed record PartProgress(IReadOnlyList<string> Tags, long End, Sha256State Hash)
{
    public static PartProgress None => new([], 0, new Sha256State());
}
