using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>Uploads small files that are put at the same time with one request.</summary>
/// <remarks>Thread-safe.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class BatchUploads(TransferContext context, HttpProtocolClient protocol, int maxFiles, long maxFileBytes) : BatchQueue<UploadedFile>(maxFiles)
{
    /// <summary>Files of a request at most.</summary>
    public const int MaxFiles = 200;

    /// <summary>Bytes of a request at most: 1 MiB, which nginx accepts without a setting.</summary>
    public const long MaxBytes = RequestSizes.MinBytes;

    /// <summary>The same where larger ones fail: 128 KiB, which has room for the largest file.</summary>
    private const long MinBytes = 2 * SmallFile.MaxBytes;

    /// <summary>Tags of a condition at most, so that they fit in a line.</summary>
    private const int MaxTags = 16;

    private readonly RequestSizes _sizes = new(MinBytes);

    // Of the files that go apart. Those of a failed request are as few at once as large files.
    private readonly FileTurns _turns = new(static () => FileTurns.SmallAtOnce);

    protected override long Room =>
        Math.Min(Math.Min(MaxBytes, context.Options.MaxBytesPerSecond ?? MaxBytes), Math.Min(_sizes.Max, context.Sizes.Max));

    /// <returns>Null if the server or the protocol has no such requests.</returns>
    public static BatchUploads? Make(TransferContext context, ServerDescription description) =>
        context.Protocol is HttpProtocolClient { Kind: TransferProtocol.Http1 or TransferProtocol.Http2 } protocol
        && context.Options.Link is null
        && description is { MaxBatchFiles: > 1 and var files, MaxBatchFileBytes: > 0 and var bytes }
            ? new BatchUploads(context, protocol, Math.Min(MaxFiles, files), bytes)
            : null;

    /// <summary>Uploads a file, with others or alone.</summary>
    /// <param name="content">The file.</param>
    /// <param name="name">Its name in the store.</param>
    /// <param name="options">How.</param>
    /// <param name="meter">Receives progress.</param>
    /// <param name="alone">Uploads it with a request of its own; is told whether an earlier request may have published it.</param>
    /// <param name="cancellationToken">Ends it for this file.</param>
    public async Task<TransferResult> PutAsync(
        SmallFile content, TransferName name, PutOptions options, ProgressMeter meter, Func<bool, Task<TransferResult>> alone,
        CancellationToken cancellationToken)
    {
        WritePrecondition precondition = options.Precondition;
        if (IsOff || content.Length > maxFileBytes || precondition.UnmodifiedSince is not null || precondition.Match?.Count > MaxTags)
        {
            return await PutApartAsync(alone, mayBePublished: false, isSmall: true, cancellationToken).ConfigureAwait(false);
        }

        BatchOutcome outcome = new(BatchWay.Alone);
        if (!TryBegin())
        {
            meter.Total = content.Length;
            meter.Report(0);
            var file = new UploadedFile(
                content, name, options, context.Options.VerifyDigests ? Sha256Digest.Compute(content.Content.Span) : null, meter);
            outcome = await WaitAsync(file, cancellationToken).ConfigureAwait(false);
            if (outcome.Way == BatchWay.Moved)
            {
                content.ThrowIfChanged();
                meter.Report(content.Content.Length, last: true);
                return new TransferResult(
                    name, content.Content.Length, outcome.Tag, file.Sha256, protocol.Kind, meter.Moved, meter.Attempts);
            }
        }

        if (outcome.Way == BatchWay.Alone)
        {
            try
            {
                return await alone(false).ConfigureAwait(false);
            }
            finally
            {
                End(files: 1);
            }
        }

        return await PutApartAsync(alone, outcome.Way == BatchWay.ApartAgain, isSmall: false, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Waits for a request that brings this name for a caller who has given up: it must not replace a file that is put later.</summary>
    public async ValueTask WaitForLeftAsync(TransferName name, CancellationToken cancellationToken)
    {
        while (Left(name) is { } batch)
        {
            await batch.Ended.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<TransferResult> PutApartAsync(
        Func<bool, Task<TransferResult>> alone, bool mayBePublished, bool isSmall, CancellationToken cancellationToken)
    {
        int turn = await _turns.EnterAsync(isSmall, cancellationToken).ConfigureAwait(false);
        try
        {
            TransferResult result = await alone(mayBePublished).ConfigureAwait(false);
            if (isSmall && result.Attempts > 1)
            {
                _turns.SlowDown();
            }

            return result;
        }
        catch (TransferException exception) when (exception.Error == TransferError.TooManyTransfers)
        {
            _turns.SlowDown();
            throw;
        }
        finally
        {
            _turns.Leave(turn);
        }
    }

    protected override async Task MoveAsync(Batch batch, List<UploadedFile> files)
    {
        TransferName folder = FolderOf(files);
        var source = new BatchSource(folder, files);
        await using var _ = source.ConfigureAwait(false);
        using IdleWatch watch = context.Watch(batch.Token);

        // The files have meters of their own.
        var content = new Outgoing(source, 0, source.Length, long.MaxValue, meter: null, watch);
        var call = new ProtocolCall("Uploading several files to", folder.Value, protocol.Kind);
        int next = 0;
        try
        {
            await protocol.PutBatchAsync(
                folder,
                content,
                answer =>
                {
                    if (next == files.Count || answer.Status is < 200 or > 599 || !files[next].NameBelow(folder).SequenceEqual(answer.Name))
                    {
                        throw Failures.Protocol(call, "the answer is not about the files");
                    }

                    Finish(files[next++], answer);
                },
                watch).ConfigureAwait(false);
            if (next < files.Count)
            {
                throw Failures.Protocol(call, $"the answer is about {next} of {files.Count} files");
            }

            Succeed();
            if (2 * content.Count >= _sizes.Max)
            {
                _sizes.GotThrough();
            }
        }
        catch (TransferException exception)
        {
            Learn(exception, content);
            End(batch);
            if (exception.IsTransient)
            {
                // Once for all of them.
                var state = new RetryState();
                state.Fail(exception, int.MaxValue);
                await Task.Delay(context.Retry.Delay(state, Random.Shared.NextDouble()), context.Clock, batch.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            // The server may publish each file when all of it is there: also those before a body that breaks off or is too long for a proxy.
            bool mayBePublished = exception.Status is null or 400 or 408 or 413 or (>= 500 and not 501);
            foreach (UploadedFile file in files.Skip(next))
            {
                if (exception.IsTransient && !file.Outcome.IsCompleted)
                {
                    file.Meter.Retry();
                }

                file.TryEnd(new BatchOutcome(mayBePublished ? BatchWay.ApartAgain : BatchWay.Apart));
            }
        }
        catch (OperationCanceledException) when (batch.Token.IsCancellationRequested)
        {
        }
        catch (Exception exception)
        {
            files.ForEach(file => file.Fail(exception));
        }
    }

    /// <summary>Decides whether a request with other files is worth a try, and how large it may be.</summary>
    private void Learn(TransferException exception, Outgoing content)
    {
        if (exception is { Status: 413, IsForeign: true } && _sizes.Refuse(content.Count!.Value))
        {
            return;
        }

        if (exception is { IsTransient: true, Status: null or 408 or 502 or 504 })
        {
            _sizes.Cut(content.Sent);
            if (_sizes.Max < content.Count)
            {
                return;
            }
        }

        Learn(exception, isForAll: IsBusy(exception) || (exception is { IsTransient: true, Status: null } && content.Sent == 0));
    }

    private void Finish(UploadedFile file, BatchResultDocument answer)
    {
        file.Meter.Move(file.Content.Content.Length);
        var call = new ProtocolCall("Uploading", file.Name.Value, protocol.Kind);
        if (answer.Status is not (>= 200 and < 300))
        {
            TransferException refusal = Failures.Of(call, answer.Status, answer.Error, answer.Detail);
            if (refusal.IsTransient || refusal.Error == TransferError.DigestMismatch || answer.Status == 413)
            {
                file.Meter.Retry();

                // A failure may have come after the file had its name.
                file.TryEnd(new BatchOutcome(answer.Status >= 500 ? BatchWay.ApartAgain : BatchWay.Apart));
                return;
            }

            file.Fail(refusal);
            return;
        }

        EntityTag? tag = Fields.Tag(answer.Tag);
        Sha256Digest? published = Sha256Digest.TryParse(answer.Sha256, out Sha256Digest digest) ? digest : null;
        if (tag is null || (file.Sha256 is not null && published is null))
        {
            // A request of its own asks for them.
            file.TryEnd(new BatchOutcome(BatchWay.ApartAgain));
        }
        else if (file.Sha256 is not null && file.Sha256 != published)
        {
            file.Fail(Failures.Different(call, $"its SHA-256 is {published} there and {file.Sha256} here. "));
        }
        else
        {
            file.TryEnd(new BatchOutcome(BatchWay.Moved, tag, published));
        }
    }
}

/// <summary>A small file that waits to be uploaded with others, or is on its way.</summary>
internal sealed class UploadedFile(SmallFile content, TransferName name, PutOptions options, Sha256Digest? sha256, ProgressMeter meter)
    : BatchFile(name, content.Content.Length + BatchSource.MaxLineBytes(name, options.Precondition))
{
    public SmallFile Content => content;

    public PutOptions Options => options;

    /// <summary>The digest of its content; null where digests are off.</summary>
    public Sha256Digest? Sha256 => sha256;

    public ProgressMeter Meter => meter;

    public override void Retain() => content.Retain();

    public override void Release() => content.Release();
}
