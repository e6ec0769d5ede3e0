namespace Millrace.Fuzz.Tests;

/// <summary>Content whose every byte follows from its position, so that any piece can be checked wherever it ends up.</summary>
internal static class Pattern
{
    public static byte[] Of(int length, long offset = 0)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = At(offset + i);
        }

        return bytes;
    }

    public static byte At(long position) => (byte)((position * 167) ^ (position >> 8) ^ 0x5a);
}
