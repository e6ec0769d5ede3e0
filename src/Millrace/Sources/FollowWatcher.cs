namespace Millrace.Sources;

/// <summary>
/// Calls when something may have happened to a file: by the system's change notifications for its folder, and by a timer
/// where there are none (network file systems, too many watches) or one was lost.
/// </summary>
internal sealed class FollowWatcher : IDisposable
{
    private readonly IReadyCallback _callback;
    private readonly Timer _timer;
    private readonly FileSystemWatcher? _watcher;

    public FollowWatcher(IReadyCallback callback, string path, TimeSpan pollInterval)
    {
        _callback = callback;
        _watcher = TryWatch(path);
        _timer = new Timer(
            static state => ((IReadyCallback)state!).OnReady(), callback, pollInterval, pollInterval);
    }

    public void Dispose()
    {
        _timer.Dispose();
        _watcher?.Dispose();
    }

    private FileSystemWatcher? TryWatch(string path)
    {
        string full = path.Length == 0 ? "" : Path.GetFullPath(path);
        if (Path.GetDirectoryName(full) is not { Length: > 0 } folder)
        {
            return null;
        }

        FileSystemWatcher? watcher = null;
        try
        {
            watcher = new FileSystemWatcher(folder, Path.GetFileName(full))
            {
                NotifyFilter = NotifyFilters.FileName | NotifyFilters.LastWrite | NotifyFilters.Size,
            };
            watcher.Changed += OnEvent;
            watcher.Created += OnEvent;
            watcher.Deleted += OnEvent;
            watcher.Renamed += OnEvent;
            watcher.EnableRaisingEvents = true;
            return watcher;
        }
        catch (Exception exception) when (exception is IOException or ArgumentException or PlatformNotSupportedException)
        {
            // The system is out of watches, or has none: the timer alone is late, not wrong.
            watcher?.Dispose();
            return null;
        }
    }

    private void OnEvent(object sender, FileSystemEventArgs e) => _callback.OnReady();
}
