using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Lab.Running;

/// <summary>Tells the laboratory how a worker's part goes, and hears from it whether to go on.</summary>
internal sealed class WorkerProgress : ILabProgress
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    private readonly TextReader _input;
    private readonly TextWriter _output;
    private readonly CancellationTokenSource _stop;
    private long _reported;

    /// <summary>Makes it.</summary>
    /// <param name="input">Answers.</param>
    /// <param name="output">Messages.</param>
    /// <param name="stop">Is cancelled when the answer is not to go on, or nobody is there to answer any more.</param>
    public WorkerProgress(TextReader input, TextWriter output, CancellationTokenSource stop)
    {
        _input = input;
        _output = output;
        _stop = stop;
    }

    /// <inheritdoc/>
    public void Phase(string name) => Send(new WorkerMessage { Phase = name });

    /// <inheritdoc/>
    public void Report(double done, TimeSpan? left, string current)
    {
        if (Stopwatch.GetElapsedTime(_reported) >= Interval)
        {
            Send(new WorkerMessage { Done = done, Left = left, Current = current });
            _reported = Stopwatch.GetTimestamp();
        }
    }

    /// <inheritdoc/>
    public void Note(string text) => Send(new WorkerMessage { Note = text });

    private void Send(WorkerMessage message)
    {
        try
        {
            _output.WriteLine(JsonSerializer.Serialize(message, WorkerJson.Default.WorkerMessage));
            if (_input.ReadLine() != WorkerMessage.Go)
            {
                _stop.Cancel();
            }
        }
        catch (IOException)
        {
            // The laboratory has gone.
            _stop.Cancel();
        }
    }
}
