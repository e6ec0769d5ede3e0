namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A test of small files that are moved at the same time.</summary>
public abstract class BatchTest : ServerTest
{
    private readonly List<Task> _held = [];

    internal BatchGate Gate { get; } = new();

    protected TransferClient Connect(Action<TransferClientOptions>? change = null)
    {
        var options = new TransferClientOptions { FirstDelay = TimeSpan.FromMilliseconds(2) };
        change?.Invoke(options);
        return new TransferClient(Server.Files, Gate, disposeHandler: true, options);
    }

    /// <summary>A client with as many requests under way as there may be, which the gate holds.</summary>
    protected async Task<TransferClient> HeldAsync(Action<TransferClientOptions>? change = null, string name = "held")
    {
        TransferClient client = Connect(change);
        Gate.Close();
        for (int i = 0; i < BatchUploads.RequestsAtOnce; i++)
        {
            _held.Add(MoveAsync(client, $"{name}{i}", $"held{i}"));
            await Bounded.UntilAsync(() => Gate.Alone == i + 1);
        }

        return client;
    }

    /// <summary>Waits until so many files wait for a request with others.</summary>
    protected static Task WaitAsync(TransferClient client, int files) =>
        Bounded.UntilAsync(() => client.Batches!.Waiting + client.Downloads!.Waiting == files);

    /// <summary>Opens the gate when all files wait, and waits for them and for those that it has held.</summary>
    protected async Task<TransferResult[]> TogetherAsync(TransferClient client, params IEnumerable<Task<TransferResult>> moves)
    {
        Task<TransferResult>[] all = [.. moves];
        await WaitAsync(client, all.Length);
        Gate.Open();
        await HeldOnesAsync();
        return await Task.WhenAll(all);
    }

    protected Task HeldOnesAsync() => Task.WhenAll(_held);

    public override async Task DisposeAsync()
    {
        // A file that was held may still be given its name in the folder.
        await HeldOnesAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await base.DisposeAsync();
    }

    /// <summary>Uploads, or downloads, a new small file.</summary>
    protected abstract Task<TransferResult> MoveAsync(TransferClient client, string name, string path);
}

/// <summary>A client's real connections, which hold requests back.</summary>
internal sealed class BatchGate() : DelegatingHandler(TransferConnections.Create(new TransferClientOptions()))
{
    private readonly Lock _lock = new();
    private TaskCompletionSource? _closed;
    private TaskCompletionSource? _batchesHeld;
    private int _running;

    /// <summary>Requests for one file.</summary>
    public int Alone { get; private set; }

    /// <summary>How many of them were there at the same time.</summary>
    public int Most { get; private set; }

    /// <summary>Requests for several files.</summary>
    public int Batches { get; private set; }

    /// <summary>How many of them have reached the server.</summary>
    public int Passed { get; private set; }

    /// <summary>Bytes of the largest one.</summary>
    public long Largest { get; private set; }

    /// <summary>Whether one has ended.</summary>
    public bool IsBatchEnded { get; private set; }

    /// <summary>Bytes of one that reaches the server, and has the server's answer; null for no limit.</summary>
    public long? MaxBatchBytes { get; set; }

    /// <summary>Whether such requests reach the server.</summary>
    public bool PassesOn { get; set; } = true;

    /// <summary>Replaces the server's answer, which is null to a request that did not reach it. Null for none.</summary>
    public Func<HttpResponseMessage?, HttpResponseMessage>? Answer { get; set; }

    public void Close() => _closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open() => _closed?.TrySetResult();

    public void HoldBatches() => _batchesHeld = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void ReleaseBatches() => _batchesHeld?.TrySetResult();

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (request.RequestUri!.Query is "?batch" or "?batch=get")
        {
            return await SendBatchAsync(request, cancellationToken);
        }

        string path = request.RequestUri.AbsolutePath;
        if (request.Method != HttpMethod.Put && (request.Method != HttpMethod.Get || !path.StartsWith("/files/", StringComparison.Ordinal) || path.EndsWith('/')))
        {
            return await base.SendAsync(request, cancellationToken);
        }

        lock (_lock)
        {
            Alone++;
            Most = Math.Max(Most, ++_running);
        }

        await (_closed?.Task ?? Task.CompletedTask).WaitAsync(cancellationToken);
        HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
        lock (_lock)
        {
            _running--;
        }

        return response;
    }

    private async Task<HttpResponseMessage> SendBatchAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        long length = request.Content!.Headers.ContentLength!.Value;
        bool isTooLarge = length > MaxBatchBytes;
        bool passes = PassesOn && !isTooLarge;
        lock (_lock)
        {
            Batches++;
            Passed += passes ? 1 : 0;
            Largest = Math.Max(Largest, length);
        }

        try
        {
            await (_batchesHeld?.Task ?? Task.CompletedTask).WaitAsync(cancellationToken);
            if (isTooLarge)
            {
                await request.Content.CopyToAsync(Stream.Null, cancellationToken);
            }

            HttpResponseMessage? response = passes ? await base.SendAsync(request, cancellationToken) : null;
            if (Answer is null || (passes && MaxBatchBytes is not null))
            {
                return response!;
            }

            using (response)
            {
                // Contents that have not arrived could not be read without waiting.
                await (response?.Content.LoadIntoBufferAsync(cancellationToken) ?? Task.CompletedTask);
                HttpResponseMessage other = Answer(response);
                other.RequestMessage = request;
                return other;
            }
        }
        finally
        {
            IsBatchEnded = true;
        }
    }
}
