namespace Millrace.Testing;

/// <summary>
/// The bytes of every test file. A byte depends on its offset alone and hardly two neighbouring words are alike, so
/// that bytes from the wrong place, twice or left out, are seen.
/// </summary>
public static class TestContent
{
    /// <summary>The longest content, in bytes: several windows and blocks, and an odd rest.</summary>
    public const int MaxLength = 16 * 1024 * 1024;

    private static readonly byte[] Master = Content.Random(MaxLength, seed: 0);

    /// <summary>The first bytes of the content.</summary>
    public static ReadOnlyMemory<byte> Of(int length) => Master.AsMemory(0, length);

    /// <summary>The content between two offsets.</summary>
    public static ReadOnlyMemory<byte> Between(long start, long end) => Master.AsMemory((int)start, (int)(end - start));

    /// <summary>Content of the same length in which every byte differs.</summary>
    public static byte[] Inverted(int length)
    {
        byte[] inverted = Master[..length];
        for (int i = 0; i < inverted.Length; i++)
        {
            inverted[i] = (byte)~inverted[i];
        }

        return inverted;
    }
}
