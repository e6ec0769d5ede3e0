using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Copying;

/// <summary>A part of a file copied by the kernel, slice by slice, on the calling thread.</summary>
internal static class KernelSlices
{
    /// <summary>Bytes copied by one call.</summary>
    /// <remarks>
    /// Some 5 ms from cache to cache, so that a call costs nothing beside it; a sixth of a second on a disk of 100 MB/s,
    /// after which the copy tells how far it is and whether anybody still wants it.
    /// </remarks>
    public const long Bytes = 16 * 1024 * 1024;

    /// <summary>Copies it.</summary>
    /// <param name="source">A file open for reading.</param>
    /// <param name="from">Where in it, in bytes.</param>
    /// <param name="destination">A file open for writing.</param>
    /// <param name="to">Where in it, in bytes.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="copied">Told of every slice, in bytes; what it throws ends the copy.</param>
    /// <param name="cancellationToken">Asked before every slice.</param>
    /// <returns>0, also when the source had fewer, or the error number.</returns>
    public static int Copy(
        SafeFileHandle source,
        long from,
        SafeFileHandle destination,
        long to,
        long bytes,
        Action<long> copied,
        CancellationToken cancellationToken)
    {
        long done = 0;
        while (done < bytes)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int error = KernelCopy.Range(
                source, from + done, destination, to + done, Math.Min(Bytes, bytes - done), out long slice);
            if (slice > 0)
            {
                done += slice;
                copied(slice);
            }

            if (error != 0 || slice == 0)
            {
                return error;
            }
        }

        return 0;
    }
}
