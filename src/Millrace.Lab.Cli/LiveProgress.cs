using System.Diagnostics;
using Millrace.Lab.Running;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>A progress bar that is drawn between invocations only, and at most a few times a second.</summary>
internal sealed class LiveProgress : ILabProgress
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    private readonly ProgressContext _context;
    private readonly IAnsiConsole _console;
    private ProgressTask? _task;
    private string _phase = "";
    private long _drawn;

    public LiveProgress(ProgressContext context, IAnsiConsole console)
    {
        _context = context;
        _console = console;
    }

    public void Phase(string name)
    {
        if (_task is not null)
        {
            _task.Value = _task.MaxValue;
            _task.Description = Markup.Escape(_phase);
        }

        _phase = name;
        _task = _context.AddTask(Markup.Escape(name), maxValue: 1);
        _context.Refresh();
    }

    public void Report(double done, TimeSpan? left, string current)
    {
        if (_task is null || Stopwatch.GetElapsedTime(_drawn) < Interval)
        {
            return;
        }

        _drawn = Stopwatch.GetTimestamp();
        _task.Value = done;
        _task.Description = Markup.Escape($"{_phase}{TimeText.Left(left)}: {current}");
        _context.Refresh();
    }

    public void Note(string text) => _console.MarkupLineInterpolated($"[yellow]{text}[/]");
}
