using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Copying;

internal static class KernelSlices
{
    /// <remarks>
    /// Some 5 ms from cache to cache, so that a call costs nothing beside it; a sixth of a second on a disk of 100 MB/s,
    /// after which the copy reports progress and checks for cancellation.
    /// </remarks>
    public const long Bytes = 16 * 1024 * 1024;

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

internal static class KernelFile
{
    /// <remarks>One block: below it, going to another thread costs as much as the kernel saves.</remarks>
    public const long MinBytes = BlockPool.BodyBytes;

    /// <summary>Whether it is one; not a class derived from it, which may do something to the bytes.</summary>
    public static bool TryGet(Stream stream, [NotNullWhen(true)] out FileStream? file)
    {
        file = stream as FileStream;
        return file is { CanSeek: true } && file.GetType() == typeof(FileStream);
    }
}
