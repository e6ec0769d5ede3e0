namespace Millrace.Transfer.Tests.Infrastructure;

internal static class Content
{
    public static byte[] Random(int bytes, int seed = 1)
    {
        byte[] content = new byte[bytes];
        new Random(seed).NextBytes(content);
        return content;
    }
}
