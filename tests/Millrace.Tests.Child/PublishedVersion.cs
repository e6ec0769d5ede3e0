namespace Millrace.Tests.Child;

/// <summary>
/// A version of a file that a child process publishes: its number, eight bytes, over and over; its length follows from
/// the number.
/// </summary>
internal static class PublishedVersion
{
    private const int MaxWords = 100_000;

    /// <summary>Length of a version in bytes: from nothing to several buffers.</summary>
    public static int LengthOf(long version) => (int)((ulong)(version * 0x5851F42D4C957F2D) % MaxWords) * sizeof(long);
}
