using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <content>Uploads.</content>
public sealed partial class TransferClient
{
    /// <summary>Bytes of a small file at most: 64 KiB.</summary>
    public const int SmallFileBytes = SmallFile.MaxBytes;

    /// <summary>
    /// How many small files are best put at the same time: 256 where several of them travel in one request, 8 otherwise. Known after the first
    /// request, such as <see cref="FindFilesAsync(CancellationToken)"/>, and may change.
    /// </summary>
    public int SmallFilesAtOnce => Options.KeepCached && (_context is { } context ? context.Batches is { IsOff: false } : MayHaveBatches)
        ? FileTurns.Most
        : FileTurns.SmallAtOnce;

    private bool MayHaveBatches => _description is { MaxBatchFiles: > 1 } && Options.Link is null
        && Options.Protocol is (TransferProtocol.Auto or TransferProtocol.Http1 or TransferProtocol.Http2);

    /// <summary>What small files travel in; null before the first transfer, and where each needs its own request.</summary>
    internal BatchUploads? Batches => _context?.Batches;

    /// <summary>Uploads a file. Small files that are put at the same time travel in one request if the server takes such requests.</summary>
    /// <param name="path">The file here. Changed meanwhile, it is not published.</param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="options">How.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it; nothing is published then, unless a small file is on its way already.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    /// <exception cref="FilePipeException">The file cannot be read.</exception>
    public async Task<TransferResult> PutAsync(
        string path, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ContentSource source = (Options.KeepCached ? await SmallFile.TryReadAsync(path).ConfigureAwait(false) : null)
            ?? (ContentSource)new FileSource(path, Options.KeepCached);
        options = options with
        {
            Modified = options.Modified ?? (source as SmallFile)?.Modified ?? ((FileSource)source).Modified,
            IsExecutable = options.IsExecutable ?? (options.Permissions ? ExecutableBit.Of(path) : null),
        };
        return await PutAsync(source, name, options, progress, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Uploads a stream, starting at its position.</summary>
    /// <param name="content">
    /// Stays open. One that can seek is read again after an interruption; of another one the last 8 MiB are kept until the
    /// server has them, so that it can be continued as well.
    /// </param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="options">How.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it; nothing is published then.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public Task<TransferResult> PutAsync(
        Stream content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        ContentSource source = content.CanSeek
            ? new SeekableStreamSource(content)
            : new RetainingSource(PipeFeed.Of(content), options.Length);
        return PutAsync(source, name, options, progress, cancellationToken);
    }

    /// <summary>Uploads the content of a pipe.</summary>
    /// <param name="content">Always completed at the end. The last 8 MiB are kept until the server has them.</param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="options">How; <see cref="PutOptions.Length"/> saves requests where it is known.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it; nothing is published then.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public Task<TransferResult> PutAsync(
        PipeReader content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        var source = new RetainingSource(new PipeFeed(content), options.Length);
        return PutAsync(source, name, options, progress, cancellationToken);
    }

    /// <summary>Uploads a sequence of memory.</summary>
    /// <param name="content">Enumerated once. Each piece is done with when the next is asked for.</param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="options">How; <see cref="PutOptions.Length"/> saves requests where it is known.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it; nothing is published then.</param>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public Task<TransferResult> PutAsync(
        IAsyncEnumerable<ReadOnlyMemory<byte>> content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        var source = new RetainingSource(new SequenceFeed(content, cancellationToken), options.Length);
        return PutAsync(source, name, options, progress, cancellationToken);
    }

    private async Task<TransferResult> PutAsync(
        ContentSource source, TransferName name, PutOptions options,
        IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        await using ConfiguredAsyncDisposable _ = source.ConfigureAwait(false);
        ThrowIfRoot(name);
        using Activity? activity = TransferClientDiagnostics.Start("millrace put", Files)?.SetTag("millrace.name", name.Value);
        try
        {
            return activity.Completed(await MoveAsync(source, name, options, progress, cancellationToken).ConfigureAwait(false));
        }
        catch (Exception exception) when (activity.Failed(exception))
        {
            throw;
        }
    }

    private async Task<TransferResult> MoveAsync(
        ContentSource source, TransferName name, PutOptions options,
        IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        var call = new ProtocolCall("Uploading", name.Value, context.Protocol.Kind);
        if (source.Length is { } length && _description?.MaxFileBytes is { } most && length > most)
        {
            throw Failures.Make(
                TransferError.TooLarge, call, $"it has {length} bytes, and the server accepts {most} in one file.");
        }

        if (Options.Link?.Name == name && context.Protocol.Kind == TransferProtocol.Tus)
        {
            throw Failures.Make(
                TransferError.InvalidRequest, call, "a signed link allows one PUT and no resumable upload. Use http1 or http2.");
        }

        if (context.Batches is { } all)
        {
            await all.WaitForLeftAsync(name, cancellationToken).ConfigureAwait(false);
        }

        var meter = new ProgressMeter(progress, _clock);
        return source is SmallFile small && context.Batches is { } batches
            ? await batches.PutAsync(
                small,
                name,
                options,
                meter,
                wasSentBefore => MoveAloneAsync(context, source, name, options, progress, meter, wasSentBefore, cancellationToken),
                cancellationToken).ConfigureAwait(false)
            : await MoveAloneAsync(context, source, name, options, progress, meter, wasSentBefore: false, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Uploads with requests that bring nothing else.</summary>
    private async Task<TransferResult> MoveAloneAsync(
        TransferContext context, ContentSource source, TransferName name, PutOptions options, IProgress<TransferProgress>? progress,
        ProgressMeter meter, bool wasSentBefore, CancellationToken cancellationToken)
    {
        UploadRecord? record = options.Resume ? RecordOf(source, name) : null;
        for (int plans = 0; ; plans++)
        {
            DeltaUpload? delta = plans < MaxPlans
                ? await PlanDeltaAsync(context, source, name, options.Precondition, cancellationToken).ConfigureAwait(false)
                : null;
            using var upload = new Upload(context, name, source, options, meter, record, delta) { WasSentBefore = wasSentBefore };
            try
            {
                return await upload.RunAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (TransferException exception) when (delta is not null && IsAboutDelta(exception, delta))
            {
                // If it was replaced meanwhile, it is compared with that version; otherwise all of it is sent.
                await upload.AbandonAsync().ConfigureAwait(false);
                plans = exception.Error == TransferError.PreconditionFailed ? plans : MaxPlans;
                meter = new ProgressMeter(progress, _clock);
            }
        }
    }

    /// <summary>Where the upload of a file is remembered for another process; null for what is no file.</summary>
    private UploadRecord? RecordOf(ContentSource source, TransferName name) => source switch
    {
        FileSource file => new UploadRecord(RecordFolder, file.Path, UrlOf(name), file.Length!.Value, file.Modified),
        SmallFile file => new UploadRecord(RecordFolder, file.Path, UrlOf(name), file.Length!.Value, file.Modified),
        _ => null,
    };
}
