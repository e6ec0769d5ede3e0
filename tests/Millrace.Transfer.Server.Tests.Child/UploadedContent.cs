namespace Millrace.Transfer.Server.Tests.Child;

/// <summary>The content that a killed process uploads, so that the one that looks afterwards knows it too.</summary>
public static class UploadedContent
{
    /// <summary>Some bytes of a file; every one follows from its offset, the file's number and the seed.</summary>
    public static byte[] Of(int seed, int number, long offset, int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            ulong word = (ulong)(offset + i) + ((ulong)seed << 32) + ((ulong)number * 0x9E3779B97F4A7C15);
            word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
            bytes[i] = (byte)(word >> 56);
        }

        return bytes;
    }

    /// <summary>How long a file is, in bytes.</summary>
    public static int LengthOf(int seed, int number) => new Random((seed * 1000) + number).Next(1, 400_000);
}
