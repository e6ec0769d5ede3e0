namespace Millrace.Transfer.Server;

/// <summary>
/// Delivers events in the background: several at once, but never two that conflict, so that those of one name arrive in order.
/// Thread-safe.
/// </summary>
internal sealed class EventDelivery(FileEventOptions options, TransferMeter meter, TimeProvider clock, ILogger logger) : IAsyncDisposable
{
    private const int MaxAtOnce = 8;

    /// <summary>How far to look for events of other names while some wait to be tried again.</summary>
    private const int Window = 256;

    private static readonly TimeSpan MaxDelay = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan MaxRetryAfter = TimeSpan.FromHours(1);

    private readonly LinkedList<Pending> _pending = new();
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _lock = new();
    private Timer? _timer;
    private int _inFlight;
    private int _failures;
    private long _notBefore;
    private bool _isFailing;

    /// <summary>Records that an event was delivered, before it leaves the queue and the next one of its name is delivered.</summary>
    public Func<EventRecord, ValueTask>? Delivered { get; init; }

    /// <summary>Records that an event has left the queue, before the next one of its name is delivered.</summary>
    public Action<EventRecord>? Removed { get; init; }

    /// <summary>
    /// Records that an event was dropped: that event, the one that counts it, and the id that this one had. Null if the queue has no limit.
    /// </summary>
    public Action<EventRecord, EventRecord, string?>? Dropped { get; init; }

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _pending.Count;
            }
        }
    }

    public void Start()
    {
        lock (_lock)
        {
            _timer = new Timer(_ => StartAll());
        }

        StartAll();
    }

    public void Add(EventRecord record)
    {
        lock (_lock)
        {
            _pending.AddLast(new Pending(record));
        }

        meter.EventsPending(1);
        StartAll();
        lock (_lock)
        {
            DropExcess();
        }
    }

    /// <summary>Over the limit, drops the oldest events that are not being delivered, and counts them in an event at the beginning. The caller holds the lock.</summary>
    private void DropExcess()
    {
        while (Dropped is not null && options.WhenFull == FullOutbox.Drop && _pending.Count > options.MaxPending && !_end.IsCancellationRequested)
        {
            LinkedListNode<Pending>? oldest = _pending.First;
            while (oldest is not null && (oldest.Value.IsInFlight || oldest.Value.Record.Kind == FileEventKind.Dropped))
            {
                oldest = oldest.Next;
            }

            if (oldest is null)
            {
                return;
            }

            _pending.Remove(oldest);
            LinkedListNode<Pending>? counting = _pending.First;
            while (counting is not null && (counting.Value.Record.Kind != FileEventKind.Dropped || counting.Value.IsInFlight))
            {
                counting = counting.Next;
            }

            EventRecord count = counting is null
                ? new EventRecord { Id = Guid.CreateVersion7().ToString(), Kind = FileEventKind.Dropped, Time = clock.GetUtcNow().ToUnixTimeMilliseconds(), Dropped = 1 }

                // A try may have arrived although it failed: with another number it is another event.
                : counting.Value.Record with { Id = counting.Value.Tries > 0 ? Guid.CreateVersion7().ToString() : counting.Value.Record.Id, Dropped = counting.Value.Record.Dropped + 1 };
            string? oldId = counting?.Value.Record.Id;
            if (counting is null)
            {
                _pending.AddFirst(new Pending(count));
                meter.EventsPending(1);
                logger.EventsDropped(options.MaxPending);
            }
            else
            {
                counting.Value.Record = count;
            }

            Dropped(oldest.Value.Record, count, oldId == count.Id ? null : oldId);
            meter.EventsPending(-1);
            meter.Event("dropped");
        }
    }

    /// <summary>All events that wait, in order.</summary>
    public IReadOnlyList<EventRecord> Snapshot()
    {
        lock (_lock)
        {
            return [.. _pending.Select(static pending => pending.Record)];
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        while (EndsAfterOthers())
        {
            await Task.Delay(10);
        }

        meter.EventsPending(-Count);
        _end.Dispose();

        bool EndsAfterOthers()
        {
            lock (_lock)
            {
                _timer?.Dispose();
                return _inFlight > 0;
            }
        }
    }

    /// <summary>Starts all deliveries that may start now.</summary>
    private void StartAll()
    {
        lock (_lock)
        {
            if (_timer is null || _end.IsCancellationRequested)
            {
                return;
            }

            long now = Environment.TickCount64;
            long next = long.MaxValue;
            if (_notBefore > now)
            {
                _timer.Change(_notBefore - now, Timeout.Infinite);
                return;
            }

            // A receiver that fails gets one event at a time.
            int most = _failures > 0 ? 1 : MaxAtOnce;
            var before = new List<EventRecord>();
            for (LinkedListNode<Pending>? node = _pending.First; node is not null && before.Count < Window && _inFlight < most; node = node.Next)
            {
                Pending pending = node.Value;
                bool waits = before.Exists(pending.Record.ConflictsWith);
                before.Add(pending.Record);
                if (pending.IsInFlight || waits)
                {
                    continue;
                }

                if (pending.NotBefore > now)
                {
                    next = Math.Min(next, pending.NotBefore);
                    continue;
                }

                pending.IsInFlight = true;
                _inFlight++;
                LinkedListNode<Pending> started = node;
                _ = Task.Run(() => DeliverAsync(started));
            }

            if (next < long.MaxValue)
            {
                _timer.Change(next - now, Timeout.Infinite);
            }
        }
    }

    private async Task DeliverAsync(LinkedListNode<Pending> node)
    {
        Pending pending = node.Value;
        try
        {
            await options.Receiver.DeliverAsync(pending.Record.ToEvent(), _end.Token);
            if (Delivered is { } delivered)
            {
                await delivered(pending.Record);
            }

            lock (_lock)
            {
                _pending.Remove(node);
                Removed?.Invoke(pending.Record);
                _failures = 0;
                _notBefore = 0;
                if (_isFailing)
                {
                    _isFailing = false;
                    logger.EventsDeliveredAgain();
                }
            }

            meter.EventsPending(-1);
            meter.Event("delivered");
        }
        catch (Exception exception)
        {
            Failed(pending, exception);
        }
        finally
        {
            lock (_lock)
            {
                pending.IsInFlight = false;
                if (--_inFlight == 0)
                {
                    // Those that failed could not be dropped before.
                    DropExcess();
                }
            }

            StartAll();
        }
    }

    private void Failed(Pending pending, Exception exception)
    {
        if (_end.IsCancellationRequested)
        {
            return;
        }

        meter.Event("failed");
        var refusal = exception as FileEventException;
        lock (_lock)
        {
            pending.Tries++;
            int tries = refusal?.IsOfEvent == true ? pending.Tries : ++_failures;
            double most = Math.Min(MaxDelay.TotalMilliseconds, options.RetryDelay.TotalMilliseconds * Math.Pow(2, Math.Min(tries - 1, 30)));

            // Between half and all of it, so that servers do not try again together.
            double delay = most * (0.5 + (Random.Shared.NextDouble() / 2));
            if (refusal?.RetryAfter is { } given)
            {
                delay = Math.Max(delay, Math.Min(given.TotalMilliseconds, MaxRetryAfter.TotalMilliseconds));
            }

            long until = Environment.TickCount64 + (long)delay;
            if (refusal?.IsOfEvent == true)
            {
                pending.NotBefore = until;
                logger.EventRefused(pending.Record.Id, exception.Message, (long)delay);
            }
            else
            {
                _notBefore = Math.Max(_notBefore, until);
                if (!_isFailing)
                {
                    _isFailing = true;
                    logger.EventsFailing(_pending.Count, exception.Message);
                }
            }
        }
    }

    private sealed class Pending(EventRecord record)
    {
        public EventRecord Record { get; set; } = record;
        public bool IsInFlight { get; set; }
        public int Tries { get; set; }
        public long NotBefore { get; set; }
    }
}
