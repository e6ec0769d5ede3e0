namespace Millrace.Lab.Data;

/// <summary>A file that is measured, and what every reader must find in it.</summary>
/// <param name="Path">Where it is.</param>
/// <param name="Bytes">Its length.</param>
/// <param name="Checksum">The wrapping sum of its little-endian 64-bit integers.</param>
/// <param name="Generated">Made by the laboratory, which may rewrite it; false for a user's own file.</param>
public sealed record TestFile(string Path, long Bytes, long Checksum, bool Generated)
{
    /// <summary>A file of the incrementing integers 0, 1, 2 … .</summary>
    public static TestFile OfIncrements(string folder, long bytes)
    {
        long count = bytes / sizeof(long);
        string path = System.IO.Path.Combine(folder, $"increments-{ByteSize.ToText(bytes, separator: "")}.bin");

        // One of count and count - 1 is even: halve that one, so that nothing is lost when the product wraps around.
        long sum = count % 2 == 0 ? unchecked(count / 2 * (count - 1)) : unchecked((count - 1) / 2 * count);
        return new TestFile(path, bytes, sum, Generated: true);
    }

    /// <summary>What tables call it, for example "128 MiB".</summary>
    public override string ToString() =>
        Generated ? ByteSize.ToText(Bytes) : $"{System.IO.Path.GetFileName(Path)} ({ByteSize.ToText(Bytes)})";
}
