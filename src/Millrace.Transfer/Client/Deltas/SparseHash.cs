using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>Hashes a sparse file: its zeros from memory, and only its data from the file.</summary>
internal static class SparseHash
{
    private static readonly byte[] Zeros = new byte[64 * 1024];

    /// <summary>Hands all bytes of a file to a hash.</summary>
    /// <param name="hash">Has nothing of the reader's memory when this returns.</param>
    /// <param name="reader">The file. Not completed.</param>
    /// <param name="extents">Its parts that have data.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="IOException">The file is shorter.</exception>
    public static async ValueTask AppendAsync(
        ParallelHash hash, FilePipeReader reader, ExtentList extents, CancellationToken cancellationToken)
    {
        long at = 0;
        foreach (ByteRange extent in extents.Extents)
        {
            await AppendZerosAsync(hash, extent.Offset - at, cancellationToken).ConfigureAwait(false);
            at = extent.Offset;
            if (reader.Position != at)
            {
                reader.Seek(at);
            }

            while (at < extent.End)
            {
                ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                ReadOnlyMemory<byte> bytes = result.Buffer.First;
                bytes = bytes[..(int)Math.Min(bytes.Length, extent.End - at)];
                if (bytes.IsEmpty)
                {
                    throw new IOException($"The file does not have the {extents.FileLength} bytes that it had.");
                }

                await hash.AppendAsync(bytes).ConfigureAwait(false);
                await hash.DrainAsync().ConfigureAwait(false);
                reader.AdvanceTo(result.Buffer.GetPosition(bytes.Length));
                at += bytes.Length;
            }
        }

        await AppendZerosAsync(hash, extents.FileLength - at, cancellationToken).ConfigureAwait(false);
        await hash.DrainAsync().ConfigureAwait(false);
    }

    private static async ValueTask AppendZerosAsync(ParallelHash hash, long count, CancellationToken cancellationToken)
    {
        for (; count > 0; count -= Zeros.Length)
        {
            cancellationToken.ThrowIfCancellationRequested();
            await hash.AppendAsync(Zeros.AsMemory(0, (int)Math.Min(count, Zeros.Length))).ConfigureAwait(false);
        }
    }
}
