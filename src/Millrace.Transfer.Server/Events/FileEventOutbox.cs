using System.Buffers;
using System.Text.Json;
using System.Threading.Channels;

namespace Millrace.Transfer.Server;

/// <summary>
/// The outbox of a folder: a log of JSON lines in <c>.millrace/events</c>. One task appends the lines of all requests, so that they share
/// the flushes to the device. Thread-safe.
/// </summary>
/// <remarks>
/// Only intents are written at once. Every other line waits for the next intent, but not longer than <see cref="MaxLag"/>: without it, the next process
/// compares the files again, or delivers an event again, and no later change was made.
/// </remarks>
internal sealed class FileEventOutbox : EventOutbox
{
    private const string LogName = "log";

    /// <summary>When the log has grown by so many bytes, it is rewritten with the lines that still count.</summary>
    private const long MaxGrowth = 8 * 1024 * 1024;

    private static readonly TimeSpan MaxLag = TimeSpan.FromSeconds(1);

    private readonly string _folder;
    private readonly Durability _durability;
    private readonly FileEventOptions _options;
    private readonly TimeProvider _clock;
    private readonly EventDelivery _delivery;
    private readonly Dictionary<string, EventRecord> _intents = [];
    private readonly Queue<Entry> _lines = new();
    private readonly Channel<bool> _wake = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private readonly Timer _late;
    private readonly Lock _lock = new();
    private Task _writing = Task.CompletedTask;

    /// <summary>Why no line is accepted any more. Guarded by the lines.</summary>
    private Exception? _end;

    /// <param name="folder">The folder of the log, which is created.</param>
    /// <param name="durability">Whether intents wait for the device.</param>
    /// <param name="options">The receiver and the limit.</param>
    /// <param name="meter">Counts events.</param>
    /// <param name="clock">The time of events.</param>
    /// <param name="logger">For failures.</param>
    public FileEventOutbox(
        string folder, Durability durability, FileEventOptions options, TransferMeter meter, TimeProvider clock, ILogger logger)
    {
        _folder = folder;
        _durability = durability;
        _options = options;
        _clock = clock;
        _late = new Timer(_ => _wake.Writer.TryWrite(true));
        _delivery = new EventDelivery(options, meter, clock, logger)
        {
            Removed = record => Write(new EventLine { Done = record.Id }),
            Dropped = WriteDropped,
        };
    }

    private string LogPath => Path.Combine(_folder, LogName);

    public override async ValueTask StartAsync(
        Func<EventRecord, CancellationToken, ValueTask<EventRecord?>> hasHappened, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(_folder);
        Load();
        FileAppendWriter log = await RewriteAsync();
        _writing = Task.Run(() => WriteAllAsync(log), CancellationToken.None);
        foreach (EventRecord intent in _intents.Values.ToList())
        {
            await SettleAsync(intent, await hasHappened(intent, cancellationToken));
        }

        _delivery.Start();
    }

    public override async ValueTask<(EventRecord Begun, Task Recorded)> RecordAsync(
        EventRecord record, Func<CancellationToken, ValueTask<string?>> identify, bool isForced, CancellationToken cancellationToken)
    {
        EventRecord begun = At(record, await identify(cancellationToken)) with { Time = _clock.GetUtcNow().ToUnixTimeMilliseconds() };
        Task written;
        lock (_lock)
        {
            if (!isForced && _options.WhenFull == FullOutbox.Refuse && _delivery.Count + _intents.Count >= _options.MaxPending)
            {
                throw Full(record);
            }

            _intents[begun.Id] = begun;
            written = WriteAsync(new EventLine { Intent = begun });
        }

        return (begun, RecordedAsync());

        async Task RecordedAsync()
        {
            try
            {
                await written;
            }
            catch (Exception exception) when (exception is not TransferException)
            {
                lock (_lock)
                {
                    _intents.Remove(begun.Id);
                }

                throw Errors.Translate(exception, "keep an event of", TransferName.TryParse(record.Name, out TransferName name) ? name : default);
            }
        }
    }

    public override ValueTask SettleAsync(EventRecord begun, EventRecord? happened)
    {
        lock (_lock)
        {
            _intents.Remove(begun.Id);
            Write(happened is null ? new EventLine { Done = begun.Id } : new EventLine { Event = happened });
            if (happened is not null)
            {
                _delivery.Add(happened);
            }
        }

        return default;
    }

    public override async ValueTask DisposeAsync()
    {
        await _delivery.DisposeAsync();
        End(new IOException("The outbox of events is closed."));
        _wake.Writer.TryComplete();
        await _writing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _late.DisposeAsync();
        await base.DisposeAsync();
    }

    /// <summary>Writes a line, at the latest together with the next one for which somebody waits.</summary>
    private void Write(EventLine line)
    {
        byte[] bytes = Serialize(line);
        lock (_lines)
        {
            if (_end is null)
            {
                _lines.Enqueue(new Entry(bytes, null));
                if (_lines.Count == 1)
                {
                    _late.Change(MaxLag, Timeout.InfiniteTimeSpan);
                }
            }
        }
    }

    /// <summary>Writes a line, and waits for the device.</summary>
    private Task WriteAsync(EventLine line)
    {
        var written = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] bytes = Serialize(line);
        lock (_lines)
        {
            if (_end is not null)
            {
                return Task.FromException(_end);
            }

            _lines.Enqueue(new Entry(bytes, written));
        }

        _wake.Writer.TryWrite(true);
        return written.Task;
    }

    private void WriteDropped(EventRecord dropped, EventRecord count, string? oldId)
    {
        Write(new EventLine { Done = dropped.Id });
        if (oldId is not null)
        {
            Write(new EventLine { Done = oldId });
        }

        Write(new EventLine { Event = count });
    }

    private void End(Exception reason)
    {
        lock (_lines)
        {
            _end ??= reason;
        }
    }

    private static byte[] Serialize(EventLine line) => JsonSerializer.SerializeToUtf8Bytes(line, ServerJson.Default.EventLine);

    /// <summary>Reads the log. A line that a failure has cut or damaged is left out: nothing was acknowledged after it.</summary>
    private void Load()
    {
        if (!File.Exists(LogPath))
        {
            return;
        }

        var events = new Dictionary<string, EventRecord>();
        var order = new List<string>();
        var done = new HashSet<string>();
        foreach (string text in File.ReadLines(LogPath))
        {
            EventLine? line = null;
            try
            {
                line = JsonSerializer.Deserialize(text, ServerJson.Default.EventLine);
            }
            catch (JsonException)
            {
                // Cut or damaged.
            }

            if (line?.Intent is { } intent && !events.ContainsKey(intent.Id))
            {
                // An upload that was in use again can expire later.
                done.Remove(intent.Id);
                _intents[intent.Id] = intent;
            }

            if (line?.Event is { } happened && !done.Contains(happened.Id))
            {
                _intents.Remove(happened.Id);
                if (!events.ContainsKey(happened.Id))
                {
                    order.Add(happened.Id);
                }

                events[happened.Id] = happened;
            }

            if (line?.Done is { } id)
            {
                _intents.Remove(id);
                events.Remove(id);
                done.Add(id);
            }
        }

        foreach (string id in order)
        {
            if (events.TryGetValue(id, out EventRecord? waiting))
            {
                _delivery.Add(waiting);
            }
        }
    }

    /// <summary>Replaces the log by a new one with the lines that still count.</summary>
    private async Task<FileAppendWriter> RewriteAsync()
    {
        var lines = new ArrayBufferWriter<byte>();
        lock (_lock)
        {
            // Lines that are not written yet follow; for these events they change nothing.
            foreach (EventLine line in _delivery.Snapshot().Select(static record => new EventLine { Event = record })
                .Concat(_intents.Values.Select(static record => new EventLine { Intent = record })))
            {
                lines.Write(JsonSerializer.SerializeToUtf8Bytes(line, ServerJson.Default.EventLine));
                lines.Write("\n"u8);
            }
        }

        await using (FilePipeWriter file = FilePipe.Create(LogPath, new FileWriteOptions { Durability = _durability }))
        {
            await file.WriteAsync(lines.WrittenMemory);
            await file.CommitAsync();
        }

        return FilePipe.Append(LogPath, new FileAppendOptions { Durability = _durability == Durability.None ? Durability.None : Durability.OnCommit });
    }

    private async Task WriteAllAsync(FileAppendWriter log)
    {
        long written = 0;
        var waiting = new List<TaskCompletionSource>();
        try
        {
            bool goesOn;
            do
            {
                goesOn = await _wake.Reader.WaitToReadAsync();
                _wake.Reader.TryRead(out _);
                waiting.Clear();
                lock (_lines)
                {
                    while (_lines.TryDequeue(out Entry entry))
                    {
                        log.Write(entry.Line);
                        log.Write("\n"u8);
                        written += entry.Line.Length + 1;
                        if (entry.Written is { } source)
                        {
                            waiting.Add(source);
                        }
                    }
                }

                await (waiting.Count > 0 && _durability != Durability.None ? log.FlushToDeviceAsync() : log.FlushAsync());
                waiting.ForEach(static source => source.TrySetResult());
                if (written > MaxGrowth)
                {
                    FileAppendWriter old = log;
                    log = await RewriteAsync();
                    await old.DisposeAsync();
                    written = 0;
                }
            }
            while (goesOn);
        }
        catch (Exception exception)
        {
            // The state of the file is unknown: no further change is accepted, and the next process reads the file.
            End(exception);
            waiting.AddRange(_lines.Select(static entry => entry.Written).OfType<TaskCompletionSource>());
            waiting.ForEach(source => source.TrySetException(exception));
        }
        finally
        {
            await log.DisposeAsync();
        }
    }

    private readonly record struct Entry(byte[] Line, TaskCompletionSource? Written);
}
