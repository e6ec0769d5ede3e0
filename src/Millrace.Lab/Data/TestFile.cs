using System.Buffers.Binary;

namespace Millrace.Lab.Data;

/// <summary>A file that is measured, and what every reader must find in it.</summary>
/// <param name="Generated">Made by the laboratory, which may rewrite it; false for a user's own file.</param>
internal sealed record TestFile(string Path, long Bytes, long Checksum, bool Generated)
{
    /// <summary>The content, which determines the meaning of the checksum.</summary>
    public FileContent Content { get; init; }

    /// <summary>A file of the incrementing integers 0, 1, 2 … .</summary>
    public static TestFile OfIncrements(string folder, long bytes)
    {
        long count = bytes / sizeof(long);
        string path = System.IO.Path.Combine(folder, $"increments-{ByteSize.ToText(bytes, separator: "")}.bin");

        // One of count and count - 1 is even: halve that one, so that nothing is lost when the product wraps around.
        long sum = count % 2 == 0 ? unchecked(count / 2 * (count - 1)) : unchecked((count - 1) / 2 * count);
        return new TestFile(path, bytes, sum, Generated: true);
    }

    /// <summary>A file of random bytes, the same on every machine. Takes as long as making them.</summary>
    /// <param name="bytes">Its length, a multiple of 8.</param>
    public static TestFile OfRandom(string folder, long bytes)
    {
        string path = System.IO.Path.Combine(folder, $"random-{ByteSize.ToText(bytes, separator: "")}.bin");
        var random = new SplitMix64(RandomSeed);
        ulong sum = 0;
        for (long i = 0; i < bytes; i += sizeof(ulong))
        {
            for (ulong eight = random.Next(); eight != 0; eight >>= 8)
            {
                sum += eight & byte.MaxValue;
            }
        }

        return new TestFile(path, bytes, (long)sum, Generated: true) { Content = FileContent.Random };
    }

    public static TestFile OfCsv(string folder) => Csv(folder, "taxi-fares.csv", TaxiFareCsv.Bytes, TaxiFareCsv.Lines);

    /// <summary>The same rides and those that follow, as many as make 128 MiB.</summary>
    public static TestFile OfManyLines(string folder) =>
        Csv(folder, "taxi-fares-many.csv", TaxiFareCsv.ManyBytes, TaxiFareCsv.ManyLines);

    /// <summary>The first lines of the same file, for warm-ups.</summary>
    public static TestFile OfFirstLines(string folder) =>
        Csv(folder, "taxi-fares-first.csv", TaxiFareCsv.FirstBytes, TaxiFareCsv.FirstLines);

    private static TestFile Csv(string folder, string name, long bytes, int lines) =>
        new(System.IO.Path.Combine(folder, name), bytes, lines, Generated: true) { Content = FileContent.Csv };

    public void WriteContent(WriteBytes write)
    {
        switch (Content)
        {
            case FileContent.Csv:
                TaxiFareCsv.Write(write, (int)Checksum);
                break;
            case FileContent.Random:
                var random = new SplitMix64(RandomSeed);
                WriteIntegers(write, _ => random.Next());
                break;
            default:
                WriteIntegers(write, index => (ulong)index);
                break;
        }
    }

    /// <summary>What tables call it, for example "128 MiB".</summary>
    public override string ToString() =>
        Generated ? ByteSize.ToText(Bytes) : $"{System.IO.Path.GetFileName(Path)} ({ByteSize.ToText(Bytes)})";

    private const ulong RandomSeed = 1;

    private void WriteIntegers(WriteBytes write, Func<long, ulong> integer)
    {
        byte[] piece = new byte[64 * 1024];
        long next = 0;
        for (long left = Bytes; left > 0; left -= piece.Length)
        {
            for (int at = 0; at < piece.Length; at += sizeof(ulong))
            {
                BinaryPrimitives.WriteUInt64LittleEndian(piece.AsSpan(at), integer(next++));
            }

            write(piece.AsSpan(0, (int)Math.Min(piece.Length, left)));
        }
    }
}

/// <summary>The content of a measured file, and the meaning of its checksum.</summary>
internal enum FileContent
{
    /// <summary>The integers 0, 1, 2 …, or a user's own bytes. Checksum: the sum of the little-endian 64-bit integers.</summary>
    Integers,

    /// <summary>Random bytes, or a user's own. Checksum: the sum of the bytes.</summary>
    Random,

    /// <summary>Text of <see cref="TaxiFareCsv"/>. Checksum: the number of lines.</summary>
    Csv,
}

internal sealed class WrongChecksumException(TestFile file, long bytes, long sum) : Exception(
    $"read {bytes:N0} bytes with the sum {sum}; {file.Path} has {file.Bytes:N0} bytes with the sum {file.Checksum}. "
    + "Either the method is wrong or the file was changed during the run.");
