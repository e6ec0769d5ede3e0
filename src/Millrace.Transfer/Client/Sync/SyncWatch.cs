using System.Diagnostics;

namespace Millrace.Transfer;

/// <summary>
/// Which files of a folder here have changed and have settled since: by the system's notifications. Where notifications are lost, or there
/// are none, any file may have changed. One caller at a time.
/// </summary>
internal sealed class SyncWatch : IDisposable
{
    /// <summary>More names than this are compared by listing both folders: a listing has thousands of them in a response.</summary>
    internal const int MaxNames = 500;

    /// <summary>How often everything is compared where the system does not notify of all changes.</summary>
    private static readonly TimeSpan Interval = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly string _root;
    private readonly TimeSpan _settle;

    /// <summary>When each changed name is due, unless it changes again: in ticks of <see cref="Stopwatch"/>.</summary>
    private readonly Dictionary<string, long> _due = new(StringComparer.Ordinal);

    private readonly FileSystemWatcher? _watcher;
    private readonly SemaphoreSlim _signal = new(0, 1);

    /// <summary>When everything is due; null for never.</summary>
    private long? _allDue;

    private Exception? _fault;
    private TimeSpan? _interval;

    /// <summary>Starts to watch.</summary>
    /// <param name="root">The folder.</param>
    /// <param name="settle">How long a file has to stay as it is.</param>
    /// <param name="interval">How often everything is compared on a system that notifies of nothing; null for one that does.</param>
    public SyncWatch(string root, TimeSpan settle, TimeSpan? interval = null)
    {
        _root = root;
        _settle = settle;
        _interval = interval;
        if (interval is not null)
        {
            return;
        }

        try
        {
            _watcher = new FileSystemWatcher(new DirectoryInfo(root).ResolveLinkTarget(returnFinalTarget: true)?.FullName ?? root)
            {
                IncludeSubdirectories = true,

                // A date that a program sets is an attribute.
                NotifyFilter = NotifyFilters.FileName | NotifyFilters.DirectoryName | NotifyFilters.LastWrite | NotifyFilters.Size | NotifyFilters.Attributes,
                InternalBufferSize = 64 * 1024,
            };
            _watcher.Changed += (_, change) => Note(change.Name);
            _watcher.Created += (_, change) => Note(change.Name);
            _watcher.Deleted += (_, change) => Note(change.Name);

            // Settled at the same moment, so that they are compared together.
            _watcher.Renamed += (_, change) => Note(change.OldName, change.Name);
            _watcher.Error += (_, error) => Lose(error.GetException());
            _watcher.EnableRaisingEvents = true;
        }
        catch (Exception exception) when (exception is IOException or ArgumentException or PlatformNotSupportedException or UnauthorizedAccessException)
        {
            Lose(exception);
        }
    }

    public void Dispose()
    {
        _watcher?.Dispose();
        _signal.Dispose();
    }

    /// <summary>Waits until files have changed and settled.</summary>
    /// <param name="pause">Everything is compared after this time at the earliest.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Their names, and those of folders, none of which is in another one; null if any file may have changed.</returns>
    public async ValueTask<IReadOnlyList<TransferName>?> NextAsync(TimeSpan pause, CancellationToken cancellationToken)
    {
        long earliest = After(pause);
        if (_interval is { } interval)
        {
            ExpectAll(interval);
        }

        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            TimeSpan wait = Timeout.InfiniteTimeSpan;
            lock (_lock)
            {
                long now = Stopwatch.GetTimestamp();
                if (_allDue is { } due)
                {
                    due = Math.Max(due, earliest);
                    if (due <= now)
                    {
                        _allDue = null;
                        Remove(now);
                        return null;
                    }

                    wait = Stopwatch.GetElapsedTime(now, due);
                }

                if (_due.Count > 0)
                {
                    long next = _due.Values.Min();
                    if (next <= now)
                    {
                        return Take(now);
                    }

                    TimeSpan first = Stopwatch.GetElapsedTime(now, next);
                    wait = wait == Timeout.InfiniteTimeSpan || first < wait ? first : wait;
                }
            }

            // Rounded up: waiting must not end before its time again and again.
            await _signal.WaitAsync(
                wait == Timeout.InfiniteTimeSpan ? wait : TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds)), cancellationToken)
                .ConfigureAwait(false);
        }
    }

    /// <summary>Whether a file of the source has been left alone for long enough. If not, it is due later.</summary>
    public bool IsSettled(SyncStep step)
    {
        bool isSettled;
        lock (_lock)
        {
            isSettled = !_due.ContainsKey(step.Name.Value);
        }

        // Notifications of it may have been lost.
        if (isSettled && (step.Source is not { } file || !IsYoung(file.Modified)))
        {
            return true;
        }

        Expect(step.Name, _settle);
        if (step.Action == SyncAction.Rename)
        {
            Expect(step.From, _settle);
        }

        return false;
    }

    /// <summary>Takes a file for changed after a time, if nothing else happens to it before.</summary>
    public void Expect(TransferName name, TimeSpan delay)
    {
        lock (_lock)
        {
            _due.TryAdd(name.Value, After(delay));
        }
    }

    /// <summary>Takes everything for changed after a time.</summary>
    public void ExpectAll(TimeSpan delay)
    {
        lock (_lock)
        {
            _allDue = Math.Min(_allDue ?? long.MaxValue, After(delay));
        }
    }

    /// <summary>What prevents notifications, once.</summary>
    public SyncFault? TakeFault()
    {
        lock (_lock)
        {
            if (_fault is not { } exception)
            {
                return null;
            }

            _fault = null;
            return new SyncFault(
                _root,
                new IOException(
                    $"'{_root}' is compared every minute, because the system does not notify of all changes: {exception.Message}", exception),
                HidesFiles: false);
        }
    }

    private bool IsYoung(FileTime modified)
    {
        FileTime now = DateTimeOffset.UtcNow;
        double age = now.Seconds - modified.Seconds + ((now.Nanoseconds - modified.Nanoseconds) / 1e9);
        return age >= 0 && age < _settle.TotalSeconds;
    }

    private static long After(TimeSpan time) => Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);

    /// <summary>The names that are due, or null if they are too many.</summary>
    private List<TransferName>? Take(long now)
    {
        HashSet<TransferName> names = [.. Remove(now).Select(static name => TransferName.TryParse(name, out TransferName parsed) ? parsed : default)];

        // A name that no server takes is reported by a comparison of its folder.
        return names.Count > MaxNames || names.Contains(default)
            ? null
            : [.. names.Where(name => !name.Folders().Any(names.Contains))];
    }

    private List<string> Remove(long now)
    {
        List<string> due = [.. _due.Where(one => one.Value <= now).Select(static one => one.Key)];
        foreach (string name in due)
        {
            _due.Remove(name);
        }

        return due;
    }

    private void Note(params ReadOnlySpan<string?> names)
    {
        bool isNoted = false;
        lock (_lock)
        {
            long due = After(_settle);
            foreach (string? name in names)
            {
                if (!string.IsNullOrEmpty(name) && NameOf(name) is { } noted)
                {
                    _due[noted] = due;
                    isNoted = true;
                }
            }

            if (_due.Count > MaxNames * 100)
            {
                // The files that are changing now are among those that IsSettled looks at.
                _due.Clear();
                _allDue = Math.Min(_allDue ?? long.MaxValue, due);
            }
        }

        if (isNoted)
        {
            Wake();
        }
    }

    /// <summary>The name of a path below the folder; null for Millrace's own files.</summary>
    private static string? NameOf(string path)
    {
        string name = Path.DirectorySeparatorChar == '/' ? path : path.Replace(Path.DirectorySeparatorChar, '/');
        foreach (Range part in name.AsSpan().Split('/'))
        {
            if (LocalFolder.IsOwn(name.AsSpan(part)))
            {
                return null;
            }
        }

        return name;
    }

    /// <summary>Takes everything for changed, now that the system has lost notifications or cannot send them.</summary>
    internal void Lose(Exception exception)
    {
        lock (_lock)
        {
            if (exception is not InternalBufferOverflowException)
            {
                _interval = Interval;
                _fault ??= exception;
            }

            _allDue = Math.Min(_allDue ?? long.MaxValue, After(_settle));
        }

        Wake();
    }

    private void Wake()
    {
        try
        {
            if (_signal.CurrentCount == 0)
            {
                _signal.Release();
            }
        }
        catch (Exception exception) when (exception is SemaphoreFullException or ObjectDisposedException)
        {
            // Another notification was faster, or no caller waits any more.
        }
    }
}
