namespace Millrace.Appending;

/// <summary>A log in the registry: who comes while its end is looked at waits for that.</summary>
internal sealed class LogEntry
{
    private readonly Lock _opening = new();
    private AppendLog? _log;
    private bool _failed;

    /// <summary>Who shares it. The registry's, under its lock.</summary>
    public int Writers { get; set; }

    /// <summary>Gives a writer of the log, which the first one opens. Null when that failed: there is another entry then.</summary>
    /// <param name="path">The name, as it was given.</param>
    /// <param name="key">Under which the registry has this entry.</param>
    /// <param name="options">The writer's.</param>
    /// <param name="file">The file, if it is open already; null afterwards when the log has it.</param>
    public AppendFileWriter? TryJoin(string path, in LogKey key, in FileAppendOptions options, ref NativeLogFile? file)
    {
        lock (_opening)
        {
            if (_failed)
            {
                return null;
            }

            if (_log is not null)
            {
                return new AppendFileWriter(_log, path, tornTail: null, options);
            }

            LogFile? opened = null;
            try
            {
                opened = file ?? (LogFile)PortableLogFile.Open(path, options.UnixCreateMode);
                file = null;
                TornTail? torn = LogTail.Examine(opened, options);
                _log = new AppendLog(opened, key);
                return new AppendFileWriter(_log, path, torn, options);
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
