using System.IO.Pipelines;
using System.Security.Cryptography;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Copying;

internal static class CopyVerification
{
    public static async ValueTask<byte[]> RunAsync(
        CopySource source,
        StagedFile copy,
        long length,
        byte[]? known,
        CopyProgress reports,
        CancellationToken cancellationToken)
    {
        // Only bytes that are on the device can be dropped from memory, so that it is read from there.
        copy.Flush();
        if (copy.Native)
        {
            CacheAdvice.Drop(copy.Handle);
        }

        Task<byte[]> first = known is null
            ? Task.Run(() => HashAsync(source.Read(length), reports: null, cancellationToken), CancellationToken.None)
            : Task.FromResult(known);
        var unused = new Unused();
        Task<byte[]> second = HashAsync(
            CopySource.Read(copy.Handle, copy.Path, limit: null, source.File.KeepsCached, copy.Native, unused), reports, cancellationToken);

        // All, whatever becomes of one of them: they use handles that the caller closes, and Windows keeps the name of a file that
        // is removed while a thread still reads it.
        Task<byte[][]> both = Task.WhenAll(first, second);
        await Task.WhenAll(both, unused.Task).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        byte[][] hashes = await both.ConfigureAwait(false);
        if (!hashes[0].AsSpan().SequenceEqual(hashes[1]))
        {
            throw new FilePipeException(
                FilePipeError.NotIdentical,
                $"The copy of '{source.File.Path}' for '{copy.Path}', read again, differs from the source: SHA-256 "
                + $"{Convert.ToHexStringLower(hashes[0])} of the source, {Convert.ToHexStringLower(hashes[1])} of the copy. "
                + "It was not published. Suspect the device, its cable or the memory, and copy again.",
                copy.Path,
                0);
        }

        reports.End(length, verifying: true);
        return hashes[1];
    }

    private static async Task<byte[]> HashAsync(
        FilePipeReader reader, CopyProgress? reports, CancellationToken cancellationToken)
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

    private sealed class Unused : TaskCompletionSource, IDisposable
    {
        public void Dispose() => TrySetResult();
    }
}
