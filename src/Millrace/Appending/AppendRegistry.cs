using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>The logs of the process, each opened once however many writers it has. Thread-safe.</summary>
internal static class AppendRegistry
{
    private static readonly Lock Gate = new();
    private static readonly Dictionary<LogKey, LogEntry> Entries = [];

    /// <summary>Opens a writer of a file: of the log that is open, or of a new one whose end is looked at first.</summary>
    public static AppendFileWriter Open(string path, in FileAppendOptions options)
    {
        LogTail.Check(options);
        FileSizeLimit.Prepare();
        return NativeFeatures.Linux && !options.Portable ? OpenNative(path, options) : OpenPortable(path, options);
    }

    /// <summary>A writer has gone; with the last one the file is closed.</summary>
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

    private static AppendFileWriter OpenNative(string path, in FileAppendOptions options)
    {
        while (true)
        {
            // Only an open file says which one it is; a second one of the same log is closed again.
            NativeLogFile? file = NativeLogFile.Open(path, LogTail.IsWanted(options), options.UnixCreateMode);
            try
            {
                LogKey key = file.Key;
                LogEntry entry = Share(key);
                if (entry.TryJoin(path, key, options, ref file) is { } writer)
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

    private static AppendFileWriter OpenPortable(string path, in FileAppendOptions options)
    {
        LogKey key = LogKey.Of(path);
        while (true)
        {
            NativeLogFile? none = null;
            if (Share(key).TryJoin(path, key, options, ref none) is { } writer)
            {
                return writer;
            }
        }
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

    /// <summary>Forgets an entry that could not be opened.</summary>
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
