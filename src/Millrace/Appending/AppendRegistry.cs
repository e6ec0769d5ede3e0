using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>The logs of the process, each opened once however many writers it has. Thread-safe.</summary>
internal static class AppendRegistry
{
    private static readonly Lock Gate = new();
    private static readonly Dictionary<LogKey, LogEntry> Entries = [];

    /// <summary>Opens a writer of a file: of the log that is open, or of a new one whose end is looked at first.</summary>
    public static FileAppendWriter Open(string path, in FileAppendOptions options)
    {
        LogTail.Check(options);
        FileSizeLimit.Prepare();
        bool native = NativeFeatures.Linux && !options.Portable;
        while (true)
        {
            // A file is identified only once it is open; a second one of the same log is closed again.
            LogFile? file = native
                ? NativeLogFile.Open(path, LogTail.NeedsCheck(options), options.UnixCreateMode)
                : PortableLogFile.Open(path, options.UnixCreateMode);
            try
            {
                LogKey key = file.Key;
                if (Share(key).TryJoin(path, key, options, ref file) is { } writer)
                {
                    return writer;
                }
            }
            finally
            {
                file?.Dispose();
            }
        }
    }

    public static void Release(AppendLog log)
    {
        lock (Gate)
        {
            LogKey key = log.Key;
            LogEntry entry = Entries[key];
            if (--entry.Writers > 0)
            {
                return;
            }

            Entries.Remove(key);
        }

        log.File.Dispose();
    }

    private static LogEntry Share(in LogKey key)
    {
        lock (Gate)
        {
            if (!Entries.TryGetValue(key, out LogEntry? entry))
            {
                entry = new LogEntry();
                Entries.Add(key, entry);
            }

            entry.Writers++;
            return entry;
        }
    }

    public static void Forget(in LogKey key, LogEntry entry)
    {
        lock (Gate)
        {
            if (Entries.TryGetValue(key, out LogEntry? known) && ReferenceEquals(known, entry))
            {
                Entries.Remove(key);
            }
        }
    }
}

/// <summary>A log in the registry: who comes while its end is looked at waits for that.</summary>
internal sealed class LogEntry
{
    private readonly Lock _opening = new();
    private AppendLog? _log;
    private bool _failed;

    /// <summary>Number of writers that share the log. Guarded by the registry's lock.</summary>
    public int Writers { get; set; }

    /// <summary>Gives a writer of the log, which the first one opens. Null when that failed: there is another entry then.</summary>
    public FileAppendWriter? TryJoin(string path, in LogKey key, in FileAppendOptions options, ref LogFile? file)
    {
        lock (_opening)
        {
            if (_failed)
            {
                return null;
            }

            if (_log is not null)
            {
                return new FileAppendWriter(_log, path, tornTail: null, options);
            }

            LogFile? opened = null;
            try
            {
                opened = file!;
                file = null;
                TornTail? torn = LogTail.Examine(opened, options);
                _log = new AppendLog(opened, key);
                return new FileAppendWriter(_log, path, torn, options);
            }
            catch
            {
                _failed = true;
                AppendRegistry.Forget(key, this);
                opened?.Dispose();
                throw;
            }
        }
    }
}

/// <summary>Identifies a file: by device and inode, or by its full path where the system does not report them.</summary>
internal readonly record struct LogKey(ulong Device, ulong Inode, string Path)
{
    public static LogKey Of(string path)
    {
        string full = System.IO.Path.GetFullPath(path);
        return new LogKey(0, 0, OperatingSystem.IsWindows() ? full.ToUpperInvariant() : full);
    }
}
