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
        TransferContext context, TransferName name, CancellationToken cancellationToken) =>
        await RemoteList.FindAsync(
            context, watch => context.Protocol.OpenBlocksAsync(name, watch), MaxDocumentBytes, cancellationToken).ConfigureAwait(false) is { } list
        && BlockSums.TryParse(list.Document, out BlockSums? sums)
            ? new RemoteBlocks(sums, list.Tag)
            : null;
}

/// <summary>The extents of one version of a file on the server.</summary>
/// <param name="Extents">The list.</param>
/// <param name="Tag">The version.</param>
internal sealed record RemoteExtents(ExtentList Extents, EntityTag Tag)
{
    /// <summary>Asks for the list of a file's extents, once.</summary>
    /// <returns>As <see cref="RemoteBlocks.FindAsync"/>.</returns>
    public static async ValueTask<RemoteExtents?> FindAsync(
        TransferContext context, TransferName name, CancellationToken cancellationToken) =>
        await RemoteList.FindAsync(
            context, watch => context.Protocol.OpenExtentsAsync(name, watch), ExtentList.MaxDocumentBytes, cancellationToken).ConfigureAwait(false) is { } list
        && ExtentList.TryParse(list.Document, out ExtentList? extents)
            ? new RemoteExtents(extents, list.Tag)
            : null;
}

/// <summary>A list about one version of a file, as the server sent it.</summary>
internal sealed record RemoteList(byte[] Document, EntityTag Tag)
{
    /// <summary>Fetches a list.</summary>
    /// <returns>Null if there is none, whatever the reason.</returns>
    public static async ValueTask<RemoteList?> FindAsync(
        TransferContext context, Func<IdleWatch, Task<OpenedFile>> open, long maxBytes, CancellationToken cancellationToken)
    {
        using IdleWatch watch = context.Watch(cancellationToken);
        try
        {
            using OpenedFile opened = await open(watch).ConfigureAwait(false);
            if (opened is not { Tag: { Value.Length: > 0 } tag, Offset: 0, Count: { } bytes } || bytes > maxBytes)
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
            return new RemoteList(document, tag);
        }
        catch (Exception exception)
            when (exception is TransferException or IOException or HttpRequestException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return null;
        }
    }
}
