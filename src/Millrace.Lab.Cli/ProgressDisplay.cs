using System.Diagnostics;

namespace Millrace.Lab.Cli;

/// <summary>Shows what runs and how long is left: a live bar in a terminal, a line now and then otherwise.</summary>
internal static class ProgressDisplay
{
    public static T Run<T>(IAnsiConsole console, Func<ILabProgress, T> work)
    {
        if (Console.IsOutputRedirected || !console.Profile.Capabilities.Interactive)
        {
            return work(new PlainProgress(Console.Error));
        }

        // No automatic refresh: a separate thread would draw in the middle of measurements.
        return console.Progress()
            .AutoRefresh(false)
            .AutoClear(true)
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn(),
                new PercentageColumn())
            .Start(context => work(new LiveProgress(context, console)));
    }
}

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

/// <summary>Durations as people say them.</summary>
internal static class TimeText
{
    /// <summary>For example ", about 80 s left"; empty when unknown.</summary>
    public static string Left(TimeSpan? left) => left switch
    {
        null => "",
        { TotalMinutes: >= 3 } time => $", about {time.TotalMinutes:0} min left",
        { } time => $", about {Math.Max(0, time.TotalSeconds):0} s left",
    };
}
