using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Millrace;

namespace WriteAheadLog;

/// <summary>Keys and values in memory, and a log that they are rebuilt from. One caller at a time.</summary>
internal sealed class Store : IAsyncDisposable
{
    private readonly Dictionary<string, string> _values = [];
    private readonly FileAppendWriter _log;

    private Store(string path) => _log = FilePipe.Append(path, new FileAppendOptions
    {
        // The file is read once: what finds the end of the complete records also replays them.
        FindEnd = Replay,
        TornTail = TornTailAction.Truncate,
    });

    public int Count => _values.Count;

    public long CutOff => _log.TornTail?.Length ?? 0;

    public static Store Open(string path) => new(path);

    public string? Get(string key) => _values.GetValueOrDefault(key);

    /// <summary>Completes when the value is on the device: do not acknowledge it before.</summary>
    public async ValueTask SetAsync(string key, string value)
    {
        LogRecord.Write(_log, Encoding.UTF8.GetBytes($"{key}\0{value}"));
        await _log.FlushAsync();
        _values[key] = value;
    }

    public ValueTask DisposeAsync() => _log.DisposeAsync();

    private long Replay(FilePipeReader reader)
    {
        while (true)
        {
            ReadResult result = reader.Read();
            ReadOnlySequence<byte> rest = result.Buffer;
            while (LogRecord.TryRead(ref rest, out byte[] payload))
            {
                string[] words = Encoding.UTF8.GetString(payload).Split('\0', 2);
                _values[words[0]] = words[1];
            }

            reader.AdvanceTo(rest.Start, rest.End);
            if (result.IsCompleted)
            {
                return reader.Position;
            }
        }
    }
}
