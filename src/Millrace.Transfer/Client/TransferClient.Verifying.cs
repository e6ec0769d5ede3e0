using System.Security.Cryptography;

namespace Millrace.Transfer;

/// <content>Compares files without moving them.</content>
public sealed partial class TransferClient
{
    /// <summary>Compares a file here with the server's, by the sums of their blocks, and moves nothing else.</summary>
    /// <param name="name">The file in the store.</param>
    /// <param name="path">The file here.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <remarks>
    /// Both files are read, so that a block that a disk has damaged shows at either end. The sums find accidents, not files
    /// that an attacker made to have the same sums. Files below 1 MiB, and those of servers without lists of blocks, are compared by SHA-256.
    /// </remarks>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>, or it was refused, or failed for good.</exception>
    /// <exception cref="IOException">The file here cannot be read.</exception>
    public async Task<VerifyResult> VerifyAsync(TransferName name, string path, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ThrowIfRoot(name);
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { ChangeDetection = ChangeDetection.Any });
        RemoteBlocks? blocks = reader.Length >= BlockSums.MinFileBytes && HasDeltas(name)
            ? await RemoteBlocks.FindAsync(context, name, cancellationToken).ConfigureAwait(false)
            : null;
        if (blocks is { Sums: { } sums })
        {
            BlockSums mine = await BlockSums
                .ComputeAsync(reader, reader.Length, sums.BlockBytes, cancellationToken).ConfigureAwait(false);
            return new VerifyResult(name, sums.FileLength, reader.Length, sums.CountDifferentBytes(mine), blocks.Tag);
        }

        StoredFile? stored = await _retry.RunAsync(
            async (_, token) =>
            {
                using IdleWatch watch = context.Watch(token);
                return await context.Protocol.FindAsync(name, digest: true, watch).ConfigureAwait(false);
            },
            cancellationToken).ConfigureAwait(false);
        if (stored is null)
        {
            throw new TransferException(TransferError.NotFound, $"There is no file '{name}' on the server.", name.Value);
        }

        bool isSame = stored.Length == reader.Length
            && stored.Sha256 == new Sha256Digest(await SHA256.HashDataAsync(reader.AsStream(), cancellationToken).ConfigureAwait(false));
        return new VerifyResult(name, stored.Length, reader.Length, isSame ? 0 : Math.Max(1, stored.Length), stored.Tag);
    }

    private bool HasDeltas(TransferName name) => _description?.Deltas == true && Options.Link?.Name != name;

    /// <summary>Leaves a file as it is that has every block of the server's version.</summary>
    /// <returns>The result; null if the file differs, or is missing.</returns>
    private async ValueTask<TransferResult?> FindSameAsync(TransferName name, string path, CancellationToken cancellationToken)
    {
        if (!File.Exists(path))
        {
            return null;
        }

        VerifyResult compared = await VerifyAsync(name, path, cancellationToken).ConfigureAwait(false);
        return compared.IsSame
            ? new TransferResult(name, compared.Length, compared.Tag, null, _context!.Protocol.Kind, 0, 1) { BytesReused = compared.Length }
            : null;
    }
}
