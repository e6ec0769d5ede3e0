using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <content>Downloads.</content>
public sealed partial class TransferClient
{
    /// <summary>What small files come in; null before the first transfer, and where each needs its own request.</summary>
    internal BatchDownloads? Downloads => _context?.Downloads;

    /// <summary>How many small files of known length are best downloaded at the same time by a caller with a limit of its own; 0 for as many as others.</summary>
    internal int SmallDownloadsAtOnce => Downloads is { IsOff: false } ? FileTurns.Most : 0;

    /// <summary>
    /// Downloads a file to a path, where it appears when it is whole and verified. Small files of known <see cref="GetOptions.Length"/> that are downloaded at
    /// the same time come with one request if the server has such requests.
    /// </summary>
    /// <param name="name">The file in the store.</param>
    /// <param name="path">The file here.</param>
    /// <param name="options">How.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it; a file of that name is unchanged.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    /// <exception cref="FilePipeException">The file cannot be written.</exception>
    public Task<TransferResult> GetAsync(
        TransferName name, string path, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return GetAsync(
            name,
            () => new FileSink(
                path,
                options.CreateNew,
                Options.Durability,
                Options.KeepCached,
                options is { Resume: true, Range: null } ? new PartRecord(path, UrlOf(name)) : null),
            options,
            progress,
            cancellationToken,
            options is { CreateNew: false, Range: null } ? path : null);
    }

    /// <summary>Downloads a file into a stream.</summary>
    /// <param name="name">The file in the store.</param>
    /// <param name="destination">Stays open. Its bytes cannot be taken back: only a return without an exception means that all of it is right.</param>
    /// <param name="options">How.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">
    /// It was refused, or failed for good; <see cref="TransferError.Changed"/>: it was replaced on the server meanwhile.
    /// </exception>
    public Task<TransferResult> GetAsync(
        TransferName name, Stream destination, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return GetAsync(name, () => PipeSink.Of(destination), options, progress, cancellationToken);
    }

    /// <summary>Downloads a file into a pipe.</summary>
    /// <param name="name">The file in the store.</param>
    /// <param name="destination">Completed at the end, with an exception when it failed.</param>
    /// <param name="options">How.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">As for a stream.</exception>
    public Task<TransferResult> GetAsync(
        TransferName name, PipeWriter destination, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return GetAsync(name, () => new PipeSink(destination), options, progress, cancellationToken);
    }

    /// <summary>Downloads a file as a sequence of memory, each valid until the next is asked for.</summary>
    /// <param name="name">The file in the store.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <remarks>Only an enumeration that completes has verified the whole.</remarks>
    /// <exception cref="TransferException">As for a stream; thrown by the enumeration.</exception>
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync(
        TransferName name, GetOptions options = default,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 1024 * 1024, resumeWriterThreshold: 512 * 1024, minimumSegmentSize: 64 * 1024));
        Task<TransferResult> download = GetAsync(name, pipe.Writer, options, null, stop.Token);
        try
        {
            await foreach (ReadOnlyMemory<byte> piece in PiecesAsync(pipe.Reader).ConfigureAwait(false))
            {
                yield return piece;
            }

            await download.ConfigureAwait(false);
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await pipe.Reader.CompleteAsync().ConfigureAwait(false);
            await ((Task)download).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> PiecesAsync(PipeReader reader)
    {
        while (true)
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                yield return segment;
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                yield break;
            }
        }
    }

    private async Task<TransferResult> GetAsync(
        TransferName name, Func<DownloadSink> open, GetOptions options,
        IProgress<TransferProgress>? progress, CancellationToken cancellationToken, string? old = null)
    {
        ThrowIfRoot(name);
        if (options.Range is { } range)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(options));
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(range.Length, nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfNegative(options.MaxBytes ?? 0, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.Length ?? 0, nameof(options));
        using Activity? activity = TransferClientDiagnostics.Start("millrace get", Files)?.SetTag("millrace.name", name.Value);
        try
        {
            TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
            if (options.Repair && old is not null && await FindSameAsync(name, old, cancellationToken).ConfigureAwait(false) is { } same)
            {
                return activity.Completed(same);
            }

            DownloadSink sink = open();
            await using ConfiguredAsyncDisposable _ = sink.ConfigureAwait(false);
            var download = new Download(context, name, sink, options, new ProgressMeter(progress, _clock))
            {
                ListedLength = sink is FileSink ? options.Length : null,
            };
            await using ConfiguredAsyncDisposable __ = download.ConfigureAwait(false);
            if (old is not null && sink.Note is null && Options.VerifyDigests && options.Length is not < BlockSums.MinFileBytes && IsLarge(old)
                && await FindBlocksAsync(context, name, options.Repair, cancellationToken).ConfigureAwait(false) is { } blocks)
            {
                await download.CopyKnownAsync(blocks, old, cancellationToken).ConfigureAwait(false);
            }

            return activity.Completed(await download.RunAsync(sink is FileSink ? _receiving : null, cancellationToken).ConfigureAwait(false));
        }
        catch (Exception exception) when (activity.Failed(exception))
        {
            throw;
        }
    }
}
