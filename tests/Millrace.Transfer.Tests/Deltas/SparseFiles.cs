namespace Millrace.Transfer.Tests.Deltas;

/// <summary>Files with holes.</summary>
internal static class SparseFiles
{
    /// <summary>Whether the tests' disk has holes, and the system can report them.</summary>
    public static bool AreSupported { get; } = Probe();

    /// <summary>Writes a file of random parts between holes.</summary>
    /// <returns>Its bytes.</returns>
    public static byte[] Write(string path, long length, int seed, params (long Offset, int Length)[] parts)
    {
        byte[] content = new byte[length];
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write);
        for (int i = 0; i < parts.Length; i++)
        {
            byte[] part = Content.Random(parts[i].Length, seed + i);
            part.CopyTo(content, parts[i].Offset);
            file.Position = parts[i].Offset;
            file.Write(part);
        }

        file.SetLength(length);
        return content;
    }

    /// <summary>Writes a file of random parts at random places.</summary>
    public static byte[] WriteRandom(string path, Random random)
    {
        int length = random.Next(1, 6_000_000);
        var parts = new (long, int)[random.Next(0, 40)];
        for (int i = 0; i < parts.Length; i++)
        {
            int offset = random.Next(length);
            parts[i] = (offset, Math.Min(length - offset, random.Next(1, 60_000)));
        }

        return Write(path, length, random.Next(), parts);
    }

    public static ExtentList ExtentsOf(string path)
    {
        using FileStream file = File.OpenRead(path);
        return ExtentList.Find(file.SafeFileHandle, file.Length);
    }

    private static bool Probe()
    {
        using var folder = new TemporaryFolder();
        Write(folder["x"], 10_000_000, 1, (5_000_000, 10));
        return ExtentsOf(folder["x"]).IsSparse;
    }
}
