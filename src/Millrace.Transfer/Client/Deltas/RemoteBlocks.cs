namespace Millrace.Transfer;

/// <summary>The blocks of one version of a file on the server.</summary>
/// <param name="Sums">Their sums.</param>
/// <param name="Tag">The version.</param>
internal sealed record RemoteBlocks(BlockSums Sums, EntityTag Tag)
{
    /// <summary>Bytes of a list that a server may send: more than that of the longest file.</summary>
    private const long MaxDocumentBytes = BlockSums.HeaderBytes + ((long)BlockSums.MaxBlocks * (sizeof(uint) + BlockSums.MaxStrongBytes));

    /// <summary>Asks for the list of a file's blocks, once.</summary>
    /// <returns>Null if there is none that can be used, whatever the reason: then files are sent whole.</returns>
    /// <remarks>A reason that matters to the whole transfer is reported by what follows.</remarks>
    public static async ValueTask<RemoteBlocks?> FindAsync(
        TransferContext context, TransferName name, CancellationToken cancellationToken)
    {
        using IdleWatch watch = context.Watch(cancellationToken);
        try
        {
            using OpenedFile opened = await context.Protocol.OpenBlocksAsync(name, watch).ConfigureAwait(false);
            if (opened is not { Tag: { Value.Length: > 0 } tag, Offset: 0, Count: { } bytes and <= MaxDocumentBytes })
            {
                return null;
            }

            byte[] document = new byte[bytes];
            int read = 0;
            while (read < document.Length)
            {
                watch.Touch();
                int more = await opened.Body.ReadAsync(document.AsMemory(read), watch.Token).ConfigureAwait(false);
                if (more == 0)
                {
                    return null;
                }

                read += more;
            }

            await opened.FinishAsync().ConfigureAwait(false);
            return BlockSums.TryParse(document, out BlockSums? sums) ? new RemoteBlocks(sums, tag) : null;
        }
        catch (Exception exception)
            when (exception is TransferException or IOException or HttpRequestException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return null;
        }
    }
}
