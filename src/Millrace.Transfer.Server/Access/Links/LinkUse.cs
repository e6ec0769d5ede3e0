using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// One request by a link to a folder, and its share of the link's limits. Everything is counted durably before the first byte goes
/// out, so that no number of servers, requests and crashes gives more than the limits.
/// </summary>
/// <remarks>For one thread at a time.</remarks>
internal sealed class LinkUse(FolderLinkRecord link, IStoreDocuments documents, string address, TimeProvider clock)
{
    /// <summary>How long parts of a download belong to it.</summary>
    private static readonly TimeSpan LongestDownload = TimeSpan.FromDays(1);

    /// <summary>Downloads that are remembered for their parts: those of more addresses and files count again.</summary>
    private const int MaxRunning = 100;

    /// <summary>Bytes that are counted ahead for an archive of many small files.</summary>
    private const long ArchiveStep = 16 * 1024 * 1024;

    /// <summary>Bytes that were counted and not used yet.</summary>
    private long _ahead;

    public FolderLinkRecord Link => link;

    /// <summary>Counts a download, or a part of one.</summary>
    /// <param name="file">The file.</param>
    /// <param name="bytes">Bytes of it that are sent.</param>
    /// <param name="cancellationToken">Until it is counted.</param>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: a limit is reached.</exception>
    public async ValueTask DownloadAsync(StoredFile file, long bytes, CancellationToken cancellationToken)
    {
        bool isWhole = bytes == file.Length;
        if (!link.IsLimited && !isWhole)
        {
            return;
        }

        string of = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{address}\n{file.Tag}\n{file.Name}")))[..24];
        await FolderLinks.ChangeAsync(documents, link.Id, record => Download(record, of, file.Length, bytes, isWhole), cancellationToken);
    }

    /// <summary>Counts the download of an archive, whose bytes are counted with each file.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: a limit is reached.</exception>
    public ValueTask ArchiveAsync(CancellationToken cancellationToken) =>
        FolderLinks.ChangeAsync(documents, link.Id, static record => Take(record, uses: 1, bytes: 0), cancellationToken);

    /// <summary>Counts a file of an archive.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: the limit of bytes is reached.</exception>
    public async ValueTask ArchiveFileAsync(long bytes, CancellationToken cancellationToken)
    {
        if (bytes > _ahead)
        {
            long taken = 0;
            await FolderLinks.ChangeAsync(
                documents,
                link.Id,
                record =>
                {
                    long least = bytes - _ahead;
                    taken = Math.Max(least, record.MaxBytes is { } max ? Math.Min(ArchiveStep, max - record.Bytes) : ArchiveStep);
                    Take(record, uses: 0, taken);
                },
                cancellationToken);
            _ahead += taken;
        }

        _ahead -= bytes;
    }

    /// <summary>Counts a file that begins to be dropped.</summary>
    /// <param name="length">Its bytes; null if that is not known.</param>
    /// <param name="cancellationToken">Until it is counted.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Forbidden"/>: a limit is reached. <see cref="TransferError.InvalidRequest"/>: the length has to be known.
    /// </exception>
    public ValueTask DropAsync(long? length, CancellationToken cancellationToken) => length is null && link.MaxBytes is not null
        ? throw new TransferException(
            TransferError.InvalidRequest, "This link allows so many bytes. Say how many the file has: Content-Length or Upload-Length, not compressed.")
        {
            Status = StatusCodes.Status411LengthRequired,
        }
        : FolderLinks.ChangeAsync(documents, link.Id, record => Take(record, uses: 1, length ?? 0), cancellationToken);

    /// <summary>Gives back the uses and bytes of a request that stored and sent nothing.</summary>
    public async ValueTask GiveBackAsync(long uses, long bytes)
    {
        try
        {
            await FolderLinks.ChangeAsync(
                documents,
                link.Id,
                record =>
                {
                    record.Uses = Math.Max(0, record.Uses - uses);
                    record.Bytes = Math.Max(0, record.Bytes - bytes);
                },
                CancellationToken.None);
        }
        catch (TransferException)
        {
            // The link was revoked, or the store does not answer: then it stays counted.
        }
    }

    /// <summary>Adds the bytes of a dropped file whose length was not known.</summary>
    public ValueTask AddAsync(long bytes) => GiveBackAsync(uses: 0, -bytes);

    /// <summary>Gives back the bytes that were counted ahead, at the end of an archive.</summary>
    public ValueTask EndArchiveAsync() => _ahead > 0 ? GiveBackAsync(uses: 0, Interlocked.Exchange(ref _ahead, 0)) : default;

    private void Download(FolderLinkRecord record, string of, long length, long bytes, bool isWhole)
    {
        if (record.MaxUses is null)
        {
            Take(record, isWhole ? 1 : 0, bytes);
            return;
        }

        DateTimeOffset now = clock.GetUtcNow();
        List<RunningUse> running = record.Running ??= [];
        running.RemoveAll(use => use.Until <= now || use.Left <= 0);
        if (!isWhole && running.Find(use => use.Of == of && use.Left >= bytes) is { } found)
        {
            // A part of a download that was counted.
            Take(record, uses: 0, bytes);
            found.Left -= bytes;
            return;
        }

        Take(record, uses: 1, bytes);

        // The whole file once more in parts: for interrupted downloads, and for parts in any order.
        running.Add(new RunningUse { Of = of, Left = isWhole ? length : (2 * length) - bytes, Until = now + LongestDownload });
        if (running.Count > MaxRunning)
        {
            running.RemoveAt(0);
        }
    }

    private static void Take(FolderLinkRecord record, long uses, long bytes)
    {
        if ((record.MaxUses is { } maxUses && uses > maxUses - record.Uses) || (record.MaxBytes is { } maxBytes && bytes > maxBytes - record.Bytes))
        {
            throw new TransferException(TransferError.Forbidden, record.IsDrop
                ? "This link takes no more files, or not so many bytes: its limit is reached. Ask for a new one."
                : "This link was used as often as it may be, or for as many bytes. Ask for a new one.");
        }

        record.Uses += uses;
        record.Bytes = record.Bytes > long.MaxValue - Math.Max(0, bytes) ? long.MaxValue : record.Bytes + bytes;
    }
}
