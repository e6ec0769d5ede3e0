using System.IO.Pipelines;
using System.Security.Cryptography;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Copying;

/// <summary>Reads a copy and its source again and compares them.</summary>
internal static class CopyVerification
{
    /// <summary>Compares.</summary>
    /// <param name="source">What was copied.</param>
    /// <param name="copy">The copy, complete.</param>
    /// <param name="length">Bytes of the source that were copied.</param>
    /// <param name="known">SHA-256 of the source where it cannot be read again; else null.</param>
    /// <param name="reports">Where to tell how far it is.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>SHA-256 of both.</returns>
    /// <exception cref="FilePipeException">They differ, or one of them cannot be read.</exception>
    public static async ValueTask<byte[]> RunAsync(
        CopySource source,
        StagedFile copy,
        long length,
        byte[]? known,
        CopyReports reports,
        CancellationToken cancellationToken)
    {
        // Only what the device has can be dropped from memory, so that it is read from there.
        copy.Flush();
        if (copy.Native)
        {
            CacheAdvice.Drop(copy.Handle);
        }

        Task<byte[]> first = known is null
            ? Task.Run(() => HashAsync(source.Read(length), reports: null, cancellationToken), CancellationToken.None)
            : Task.FromResult(known);
        Task<byte[]> second = HashAsync(
            CopySource.Read(copy.Handle, copy.Path, limit: null, copy.Native), reports, cancellationToken);

        // Both, whatever becomes of one of them: they use handles that the caller closes.
        byte[][] hashes = await Task.WhenAll(first, second).ConfigureAwait(false);
        if (!hashes[0].AsSpan().SequenceEqual(hashes[1]))
        {
            throw new FilePipeException(
                FilePipeError.NotIdentical,
                $"The copy of '{source.File.Path}' for '{copy.Path}', read again, is not what was copied: SHA-256 "
                + $"{Convert.ToHexStringLower(hashes[0])} of the source, {Convert.ToHexStringLower(hashes[1])} of the copy. "
                + "It was not published. Suspect the device, its cable or the memory, and copy again.",
                copy.Path,
                0);
        }

        reports.End(length, verifying: true);
        return hashes[1];
    }

    private static async Task<byte[]> HashAsync(
        FilePipeReader reader, CopyReports? reports, CancellationToken cancellationToken)
    {
        using FilePipeReader file = reader;
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (true)
        {
            ReadResult result = await file.ReadAsync(cancellationToken).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            hash.AppendData(result.Buffer.FirstSpan);
            file.AdvanceTo(result.Buffer.End);
            reports?.Reached(file.Position, verifying: true);
            if (result.IsCompleted)
            {
                return hash.GetHashAndReset();
            }
        }
    }
}
