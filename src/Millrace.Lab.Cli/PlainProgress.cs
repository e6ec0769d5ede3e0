using System.Diagnostics;
using Millrace.Lab.Running;

namespace Millrace.Lab.Cli;

/// <summary>Progress as lines, to the error output so that a piped table stays clean.</summary>
internal sealed class PlainProgress : ILabProgress
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly TextWriter _output;
    private string _phase = "";
    private long _written;

    public PlainProgress(TextWriter output) => _output = output;

    public void Phase(string name)
    {
        _phase = name;
        _written = Stopwatch.GetTimestamp();
        _output.WriteLine($"{name} ...");
    }

    public void Report(double done, TimeSpan? left, string current)
    {
        if (Stopwatch.GetElapsedTime(_written) >= Interval)
        {
            _written = Stopwatch.GetTimestamp();
            _output.WriteLine($"{_phase}: {done:P0}{TimeText.Left(left)}, now {current}");
        }
    }

    public void Note(string text) => _output.WriteLine(text);
}
