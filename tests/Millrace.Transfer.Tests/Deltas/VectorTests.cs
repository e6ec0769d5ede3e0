using System.Globalization;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>The vectors that docs/protocol.md names, for other implementations.</summary>
public sealed class VectorTests
{
    private static readonly string _file = Path.Combine(Repository.Root, "tests", "Millrace.Transfer.Tests", "Deltas", "vectors.txt");

    [Fact]
    public async Task Vectors_are_right()
    {
        int count = 0;
        foreach (string line in (await File.ReadAllLinesAsync(_file)).Where(static line => line.Length > 0 && line[0] != '#'))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            byte[] content = Pattern(int.Parse(words[1], CultureInfo.InvariantCulture));
            string actual = words[0] switch
            {
                "weak" => RollingSum.Of(content).ToString("x8", CultureInfo.InvariantCulture),
                "strong" => Strong(content),
                "list" => Hex((await DeltaFile.SumsOf(content)).Document.ToArray()),
                "list-sha256" => Sha256Digest.Compute((await DeltaFile.SumsOf(content)).Document.Span).ToString(),
                "delta" => Hex(DeltaFile.Apply(Convert.FromHexString(words[2]), content, 100_000)),
                "refused" => Refusal(Convert.FromHexString(words[2]), content),
                _ => throw new InvalidDataException(line),
            };
            Assert.Equal($"{words[0]} {words[1]} {words[^1]}", $"{words[0]} {words[1]} {actual}");
            count++;
        }

        Assert.InRange(count, 20, 1000);
    }

    private static string Refusal(byte[] delta, byte[] old) =>
        Assert.Throws<TransferException>(() => DeltaFile.Apply(delta, old, 2000)).Error.ToString();

    private static string Strong(byte[] content)
    {
        byte[] strong = new byte[16];
        BlockSums.ComputeStrong(content, strong);
        return Hex(strong);
    }

    private static string Hex(byte[] bytes) => Convert.ToHexStringLower(bytes);

    private static byte[] Pattern(int bytes)
    {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++)
        {
            content[i] = (byte)((i * 7) + (i / 256));
        }

        return content;
    }
}
