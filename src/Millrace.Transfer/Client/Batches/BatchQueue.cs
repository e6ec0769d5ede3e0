namespace Millrace.Transfer;

/// <summary>
/// Moves small files that are called for at the same time with one request. A file that comes alone is moved at once and alone. While a request is under
/// way, other files wait; all of them go with the next one, when as many wait as are under way, or when the request has ended.
/// </summary>
/// <param name="maxFiles">Files of a request at most.</param>
/// <remarks>Thread-safe.</remarks>
internal abstract class BatchQueue<TFile>(int maxFiles)
    where TFile : BatchFile
{
    /// <summary>Requests under way at most: while the files of one are written, here or there, those of the next one arrive.</summary>
    public const int RequestsAtOnce = 2;

    /// <summary>Files that are enough for another request, however many are under way.</summary>
    private const int ManyFiles = 64;

    /// <summary>Failures in a row after which no more requests are tried.</summary>
    private const int MaxFailures = 3;

    private readonly Lock _lock = new();
    private readonly Queue<TFile> _queue = new();
    private readonly HashSet<Batch> _left = [];
    private int _running;
    private int _filesUnderWay;
    private bool _isStarting;
    private int _failures;
    private volatile bool _isOff;

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

    /// <summary>Bytes of the next request at most.</summary>
    protected abstract long Room { get; }

    /// <summary>Sends a request of two files or more. Files without an outcome afterwards have requests of their own.</summary>
    protected abstract Task MoveAsync(Batch batch, List<TFile> files);

    /// <summary>Begins a request for one file if nothing is under way.</summary>
    protected bool TryBegin()
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

    /// <summary>Waits until a request has moved a file, or it has to go on otherwise.</summary>
    protected async Task<BatchOutcome> WaitAsync(TFile file, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _queue.Enqueue(file);
            Start();
        }

        using (cancellationToken.UnsafeRegister((_, token) => Cancel(file, token), null))
        {
            return await file.Outcome.ConfigureAwait(false);
        }
    }

    /// <summary>A request has ended.</summary>
    protected void End(int files)
    {
        lock (_lock)
        {
            _running--;
            _filesUnderWay -= files;
            Start();
        }
    }

    /// <summary>The server receives no more of a request.</summary>
    protected void End(Batch batch)
    {
        lock (_lock)
        {
            batch.End();
            _left.Remove(batch);
        }
    }

    /// <summary>A request that the server may still receive, and that brings this name for a caller who has given up; null without one.</summary>
    protected Batch? Left(TransferName name)
    {
        lock (_lock)
        {
            return _left.FirstOrDefault(batch => batch.Files.Any(file => file.Outcome.IsCanceled && file.Name == name));
        }
    }

    /// <summary>A request has moved files.</summary>
    protected void Succeed() => Volatile.Write(ref _failures, 0);

    /// <summary>Decides whether a request with other files is worth another try.</summary>
    /// <param name="exception">Why one failed.</param>
    /// <param name="isForAll">Whether that says nothing about such requests, because any other would have failed as well.</param>
    protected void Learn(TransferException exception, bool isForAll)
    {
        bool isUnknown = exception.Error == TransferError.Protocol || exception.Status is (>= 300 and < 400) or 400 or 404 or 405 or 411 or 413 or 415 or 501;
        if (isUnknown || (!isForAll && Interlocked.Increment(ref _failures) >= MaxFailures))
        {
            _isOff = true;
        }
    }

    /// <summary>Whether a server is away or busy, which says nothing about such requests.</summary>
    protected static bool IsBusy(TransferException exception) => exception is { IsTransient: true, Status: not null, IsForeign: false }
        && exception.Error is TransferError.TooManyTransfers or TransferError.Unavailable;

    /// <summary>Whether no server could be reached, which says nothing either.</summary>
    protected static bool IsAway(TransferException exception) =>
        exception.InnerException is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError };

    /// <summary>The innermost folder that all are in: a token may be for that folder alone.</summary>
    protected static TransferName FolderOf(List<TFile> files)
    {
        TransferName folder = files[0].Name.Folder;
        foreach (TFile file in files)
        {
            while (!file.Name.Folder.IsIn(folder))
            {
                folder = folder.Folder;
            }
        }

        return folder;
    }

    private void Cancel(TFile file, CancellationToken cancellationToken)
    {
        Batch? batch;
        lock (_lock)
        {
            batch = file.TryCancel(cancellationToken) ? file.Batch : null;
            if (batch is { Ended.IsCompleted: false })
            {
                _left.Add(batch);
            }
        }

        batch?.Leave();
    }

    /// <summary>Begins the next request. Under the lock.</summary>
    private void Start()
    {
        bool isWorthIt = _running == 0 || (_running < RequestsAtOnce && _queue.Count >= Math.Min(ManyFiles, _filesUnderWay));
        if (_queue.Count > 0 && isWorthIt && !_isStarting)
        {
            // Behind the work of this thread: the callers of the files that have just arrived call for their next ones.
            _isStarting = true;
            ThreadPool.UnsafeQueueUserWorkItem(static self => _ = self.RunAsync(), this, preferLocal: false);
        }
    }

    private async Task RunAsync()
    {
        List<TFile> files = Take(out Batch batch);
        if (files is [var only] && only.TryEnd(new BatchOutcome(BatchWay.Alone)))
        {
            // The turn is its own now.
            only.Release();
            return;
        }

        var rest = BatchWay.Apart;
        try
        {
            if (files.Count > 1 && !_isOff)
            {
                rest = BatchWay.ApartAgain;
                await MoveAsync(batch, files).ConfigureAwait(false);
            }
        }
        finally
        {
            End(batch);
            foreach (TFile file in files)
            {
                file.TryEnd(new BatchOutcome(rest));
                file.Release();
            }

            End(files.Count);
        }
    }

    /// <summary>Takes the files of the next request: no name twice, and none whose caller has given up.</summary>
    private List<TFile> Take(out Batch batch)
    {
        long room = Room;
        var files = new List<TFile>();
        var names = new HashSet<TransferName>();
        batch = new Batch(files);
        lock (_lock)
        {
            while (files.Count < maxFiles && _queue.TryPeek(out TFile? file))
            {
                if (!file.Outcome.IsCompleted)
                {
                    room -= file.Bytes;
                    if ((room < 0 && files.Count > 0) || !names.Add(file.Name))
                    {
                        break;
                    }

                    file.Retain();
                    file.Batch = batch;
                    files.Add(file);
                }

                _queue.Dequeue();
            }

            _isStarting = false;
            _running++;
            _filesUnderWay += files.Count;
            Start();
            return files;
        }
    }
}
