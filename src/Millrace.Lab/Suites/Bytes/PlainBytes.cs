namespace Millrace.Lab.Suites.Bytes;

/// <summary>An async sequence of single bytes, written the plain way.</summary>
internal static class PlainBytes
{
    // As one writes it in an application; ConfigureAwait would make it slower still.
#pragma warning disable CA2007
    /// <summary>Reads a stream through a buffer and yields byte after byte.</summary>
    public static async IAsyncEnumerable<byte> ReadAsync(Stream stream, int bufferBytes)
    {
        byte[] buffer = new byte[bufferBytes];
        int read;
        while ((read = await stream.ReadAsync(buffer)) > 0)
        {
            for (int i = 0; i < read; i++)
            {
                yield return buffer[i];
            }
        }
    }
#pragma warning restore CA2007
}
