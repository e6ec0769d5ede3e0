using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>
/// Brings small files that are put at the same time with one request. A file that comes alone is put at once and alone. While a request is under
/// way, other files wait; all of them go with the next one, when as many wait as are under way, or when the request has ended.
/// </summary>
/// <remarks>Thread-safe.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class BatchUploads
{
    /// <summary>Requests under way: while the server publishes the files of one, the next one arrives.</summary>
    public const int RequestsAtOnce = 2;

    /// <summary>Files of a request at most.</summary>
    public const int MaxFiles = 200;

    /// <summary>Files that are enough for another request, however many are under way.</summary>
    private const int ManyFiles = 64;

    /// <summary>Bytes of a request at most: 1 MiB, which nginx accepts without a setting.</summary>
    public const long MaxBytes = RequestSizes.MinBytes;

    /// <summary>The same where larger ones fail: 128 KiB, which has room for the largest file.</summary>
    private const long MinBytes = 2 * SmallFile.MaxBytes;

    /// <summary>Tags of a condition at most, so that they fit in a line.</summary>
    private const int MaxTags = 16;

    /// <summary>Failures in a row after which no more requests are tried.</summary>
    private const int MaxFailures = 3;

    private readonly TransferContext _context;
    private readonly HttpProtocolClient _protocol;
    private readonly int _maxFiles;
    private readonly long _maxFileBytes;
    private readonly RequestSizes _sizes = new(MinBytes);

    // Of the files that go apart. Those of a failed request are as few at once as large files.
    private readonly FileTurns _turns = new(static () => FileTurns.SmallAtOnce);
    private readonly Lock _lock = new();

    // Names that requests under way bring for callers who have given up.
    private readonly Dictionary<TransferName, Batch> _left = [];
    private readonly Queue<BatchFile> _queue = new();
    private int _running;
    private int _filesUnderWay;
    private bool _isStarting;
    private int _failures;
    private volatile bool _isOff;

    private BatchUploads(TransferContext context, HttpProtocolClient protocol, int maxFiles, long maxFileBytes)
    {
        _context = context;
        _protocol = protocol;
        _maxFiles = maxFiles;
        _maxFileBytes = maxFileBytes;
    }

    /// <summary>Whether files need a request each, because something on the way does not accept others.</summary>
    public bool IsOff => _isOff;

    /// <summary>Files that wait for a request.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock)
            {
                return _queue.Count;
            }
        }
    }

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
        if (_isOff || content.Length > _maxFileBytes || precondition.UnmodifiedSince is not null || precondition.Match?.Count > MaxTags)
        {
            return await PutApartAsync(alone, mayBePublished: false, isSmall: true, cancellationToken).ConfigureAwait(false);
        }

        BatchOutcome outcome = new(BatchWay.Alone);
        if (!TryBegin())
        {
            meter.Total = content.Length;
            meter.Report(0);
            var file = new BatchFile(
                content, name, options, _context.Options.VerifyDigests ? Sha256Digest.Compute(content.Content.Span) : null, meter);
            Enqueue(file);
            using (cancellationToken.UnsafeRegister((_, token) => Cancel(file, token), null))
            {
                outcome = await file.Outcome.ConfigureAwait(false);
            }

            if (outcome.Way == BatchWay.Published)
            {
                content.ThrowIfChanged();
                meter.Report(content.Content.Length, last: true);
                return new TransferResult(
                    name, content.Content.Length, outcome.Tag, file.Sha256, _protocol.Kind, meter.Moved, meter.Attempts);
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

    private Batch? Left(TransferName name)
    {
        lock (_lock)
        {
            return _left.GetValueOrDefault(name);
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

    /// <summary>Begins a request for one file if nothing is under way.</summary>
    private bool TryBegin()
    {
        lock (_lock)
        {
            if (_running > 0 || _queue.Count > 0)
            {
                return false;
            }

            _running = 1;
            _filesUnderWay = 1;
            return true;
        }
    }

    private void Enqueue(BatchFile file)
    {
        lock (_lock)
        {
            _queue.Enqueue(file);
            Start();
        }
    }

    /// <summary>A request has ended.</summary>
    private void End(int files)
    {
        lock (_lock)
        {
            _running--;
            _filesUnderWay -= files;
            Start();
        }
    }

    /// <summary>Begins the next request. Under the lock.</summary>
    private void Start()
    {
        bool isWorthIt = _running == 0 || (_running < RequestsAtOnce && _queue.Count >= Math.Min(ManyFiles, _filesUnderWay));
        if (_queue.Count > 0 && isWorthIt && !_isStarting)
        {
            // Behind the work of this thread: the callers of the files that have just arrived put their next ones.
            _isStarting = true;
            ThreadPool.UnsafeQueueUserWorkItem(static self => _ = self.RunAsync(), this, preferLocal: false);
        }
    }

    private void Cancel(BatchFile file, CancellationToken cancellationToken)
    {
        Batch? batch;
        lock (_lock)
        {
            batch = file.TryCancel(cancellationToken) ? file.Batch : null;
            if (batch is { Ended.IsCompleted: false })
            {
                _left[file.Name] = batch;
            }
        }

        batch?.Leave();
    }

    /// <summary>The server receives no more of a request.</summary>
    private void End(Batch batch)
    {
        lock (_lock)
        {
            batch.End();
            foreach (BatchFile file in batch.Files)
            {
                if (_left.Count > 0 && _left.GetValueOrDefault(file.Name) == batch)
                {
                    _left.Remove(file.Name);
                }
            }
        }
    }

    private async Task RunAsync()
    {
        Batch batch = Take();
        if (batch.Files is [var only] && only.TryEnd(new BatchOutcome(BatchWay.Alone)))
        {
            // The turn is its own now.
            only.Content.Release();
            return;
        }

        var rest = BatchWay.Apart;
        try
        {
            if (batch.Files.Count > 1 && !_isOff)
            {
                rest = BatchWay.ApartAgain;
                await SendAsync(batch).ConfigureAwait(false);
            }
        }
        finally
        {
            End(batch);
            foreach (BatchFile file in batch.Files)
            {
                file.TryEnd(new BatchOutcome(rest));
                file.Content.Release();
            }

            End(batch.Files.Count);
        }
    }

    /// <summary>Takes the files of the next request: no name twice, and none whose caller has given up.</summary>
    private Batch Take()
    {
        long room = Math.Min(MaxBytes, Math.Min(_sizes.Max, _context.Sizes.Max));
        room = Math.Min(room, _context.Options.MaxBytesPerSecond ?? room);
        var files = new List<BatchFile>();
        var names = new HashSet<TransferName>();
        lock (_lock)
        {
            while (files.Count < _maxFiles && _queue.TryPeek(out BatchFile? file))
            {
                if (!file.Outcome.IsCompleted)
                {
                    room -= file.Bytes;
                    if ((room < 0 && files.Count > 0) || !names.Add(file.Name))
                    {
                        break;
                    }

                    file.Content.Retain();
                    files.Add(file);
                }

                _queue.Dequeue();
            }

            _isStarting = false;
            _running++;
            _filesUnderWay += files.Count;
            Start();
            var batch = new Batch(files);
            foreach (BatchFile file in files)
            {
                file.Batch = batch;
            }

            return batch;
        }
    }

    private async Task SendAsync(Batch batch)
    {
        List<BatchFile> files = batch.Files;
        TransferName folder = FolderOf(files);
        var source = new BatchSource(folder, files);
        await using var _ = source.ConfigureAwait(false);
        using IdleWatch watch = _context.Watch(batch.Token);
        var content = new Outgoing(source, 0, source.Length, long.MaxValue, NoMeter.Instance, watch);
        var call = new ProtocolCall("Uploading several files to", folder.Value, _protocol.Kind);
        int next = 0;
        try
        {
            await _protocol.PutBatchAsync(
                folder,
                content,
                answer =>
                {
                    if (next == files.Count || answer.Status is < 200 or > 599 || !IsAbout(answer, files[next], folder))
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

            Volatile.Write(ref _failures, 0);
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
                await Task.Delay(_context.Retry.Delay(state, Random.Shared.NextDouble()), _context.Clock, batch.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            // The server may publish each file when all of it is there: also those before a body that breaks off or is too long for a proxy.
            bool mayBePublished = exception.Status is null or 400 or 408 or 413 or (>= 500 and not 501);
            foreach (BatchFile file in files.Skip(next))
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

        // A server that is away or busy says nothing about such requests.
        bool isForAll = exception.IsTransient && (exception.Status is null
            ? content.Sent == 0
            : !exception.IsForeign && exception.Error is TransferError.TooManyTransfers or TransferError.Unavailable);
        bool isUnknown = exception.Error == TransferError.Protocol || exception.Status is (>= 300 and < 400) or 400 or 404 or 405 or 411 or 413 or 415 or 501;
        if (isUnknown || (!isForAll && Interlocked.Increment(ref _failures) >= MaxFailures))
        {
            _isOff = true;
        }
    }

    private void Finish(BatchFile file, BatchResultDocument answer)
    {
        file.Meter.Move(file.Content.Content.Length);
        var call = new ProtocolCall("Uploading", file.Name.Value, _protocol.Kind);
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
            file.TryEnd(new BatchOutcome(BatchWay.Published, tag, published));
        }
    }

    private static bool IsAbout(BatchResultDocument answer, BatchFile file, TransferName folder) =>
        file.Name.Value.AsSpan(folder.IsRoot ? 0 : folder.Value.Length + 1).SequenceEqual(answer.Name);

    /// <summary>The innermost folder that all are in: a token may be for that folder alone.</summary>
    private static TransferName FolderOf(List<BatchFile> files)
    {
        TransferName folder = files[0].Name.Folder;
        foreach (BatchFile file in files)
        {
            while (!file.Name.Folder.IsIn(folder))
            {
                folder = folder.Folder;
            }
        }

        return folder;
    }

    /// <summary>The files have their own.</summary>
    private sealed class NoMeter : IMeter
    {
        public static readonly NoMeter Instance = new();

        public void Report(long transferred, bool last = false)
        {
        }

        public void Move(int bytes)
        {
        }
    }
}
