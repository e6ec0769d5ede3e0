using System.Collections.Concurrent;
using Millrace.Transfer;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Millrace.Cli;

/// <summary>Chooses the display: bars on a terminal, lines elsewhere, nothing with --quiet.</summary>
internal static class TransferDisplay
{
    public static Task<T> RunAsync<T>(
        TransferSettings settings, IReadOnlyCollection<TransferItem> items, Func<ITransferDisplay, Task<T>> work)
    {
        if (settings.Quiet || settings.Json)
        {
            return work(new SilentDisplay());
        }

        if (Console.IsErrorRedirected)
        {
            return work(new PlainDisplay(Console.Error));
        }

        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        return console.Profile.Capabilities.Interactive
            ? BarDisplay.RunAsync(console, items, work)
            : work(new PlainDisplay(Console.Error));
    }
}

/// <summary>Shows how far files are that are moved at once. Used by several threads.</summary>
internal interface ITransferDisplay
{
    IProgress<TransferProgress> Begin(TransferItem item);

    void End(TransferOutcome outcome);
}

/// <summary>Shows nothing: for --quiet and --json.</summary>
internal sealed class SilentDisplay : ITransferDisplay, IProgress<TransferProgress>
{
    public IProgress<TransferProgress> Begin(TransferItem item) => this;

    public void End(TransferOutcome outcome)
    {
    }

    public void Report(TransferProgress value)
    {
    }
}

/// <summary>A line for a file that takes long, now and then: where no terminal is, as in a log.</summary>
internal sealed class PlainDisplay(TextWriter output) : ITransferDisplay
{
    private static readonly SilentDisplay Silent = new();

    // Small files wait for one another: each of hundreds would seem to take long.
    public IProgress<TransferProgress> Begin(TransferItem item) => item.IsSmallFile ? Silent : new Line(item, output);

    public void End(TransferOutcome outcome)
    {
    }

    private sealed class Line(TransferItem item, TextWriter output) : IProgress<TransferProgress>
    {
        // Seldom enough for a log, often enough for a user who waits.
        private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

        private TimeSpan _next = Interval;

        public void Report(TransferProgress value)
        {
            lock (this)
            {
                if (value.Elapsed < _next)
                {
                    return;
                }

                _next = value.Elapsed + Interval;
            }

            output.WriteLine($"{PrintableText.Clean(item.Shown)}: {TransferText.Progress(value)}");
        }
    }
}

/// <summary>
/// A bar for every file that is being moved, and one for all together where there are several. A bar goes to the next file
/// when one is done, so that thousands of files need no more bars than are moved at once.
/// </summary>
internal sealed class BarDisplay : ITransferDisplay
{
    // A name gets the rest of a terminal of 80 columns beside the bar and the numbers.
    private const int LongestName = 30;

    // Of small files that travel together, more are moved at once than anybody reads.
    private const int MaxBars = 8;

    private readonly Lock _lock = new();
    private readonly ProgressContext _context;
    private readonly ConcurrentDictionary<int, string> _texts;
    private readonly Stack<ProgressTask> _idle = new();
    private readonly ProgressTask? _total;
    private readonly long? _bytes;
    private readonly int _files;
    private readonly Dictionary<Bar, TransferProgress> _running = [];
    private long _doneBytes;
    private int _doneFiles;
    private int _bars;

    private BarDisplay(
        ProgressContext context, ConcurrentDictionary<int, string> texts, IReadOnlyCollection<TransferItem> items)
    {
        _context = context;
        _texts = texts;
        _files = items.Count;
        _bytes = items.All(item => item.Bytes is not null) ? items.Sum(item => item.Bytes) : null;
        _total = items.Count > 1 ? context.AddTask("all", maxValue: Math.Max(1, _bytes ?? items.Count)) : null;
        ShowTotal();
    }

    public static Task<T> RunAsync<T>(
        IAnsiConsole console, IReadOnlyCollection<TransferItem> items, Func<ITransferDisplay, Task<T>> work)
    {
        var texts = new ConcurrentDictionary<int, string>();
        return console.Progress()
            .AutoClear(true)
            .HideCompleted(true)
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn(),
                new TaskTextColumn(texts))
            .StartAsync(context => work(new BarDisplay(context, texts, items)));
    }

    public IProgress<TransferProgress> Begin(TransferItem item)
    {
        lock (_lock)
        {
            string name = item.Path == TransferItem.Standard ? item.Name.FileName : Path.GetFileName(item.Path);
            name = PrintableText.Clean(name);
            name = Markup.Escape(name.Length > LongestName ? name[..(LongestName - 1)] + "…" : name);
            if (_idle.Count == 0 && _bars >= MaxBars && item.IsSmallFile)
            {
                return new Bar(this, item, task: null);
            }

            ProgressTask task = _idle.Count > 0 ? _idle.Pop() : Add(name);
            task.Description = name;
            task.MaxValue = Math.Max(1, item.Bytes ?? 1);
            task.IsIndeterminate = item.Bytes is null;
            task.Value = 0;
            _texts[task.Id] = "";
            return new Bar(this, item, task);
        }
    }

    public void End(TransferOutcome outcome)
    {
        lock (_lock)
        {
            Bar? bar = _running.Keys.FirstOrDefault(running => ReferenceEquals(running.Item, outcome.Item));
            _doneFiles++;
            _doneBytes += outcome.Result?.Length ?? outcome.Item.Bytes ?? 0;
            if (bar is not null)
            {
                _running.Remove(bar);
            }

            if (bar?.Task is { } task)
            {
                // Full bars are hidden until they are used again.
                task.IsIndeterminate = false;
                task.Value = task.MaxValue;
                _idle.Push(task);
            }

            ShowTotal();
        }
    }

    private ProgressTask Add(string name)
    {
        _bars++;
        return _context.AddTask(name);
    }

    private void Show(Bar bar, TransferProgress progress)
    {
        lock (_lock)
        {
            _running[bar] = progress;
            if (bar.Task is not { } task)
            {
                return;
            }

            if (progress.Total is { } total)
            {
                task.IsIndeterminate = false;
                task.MaxValue = Math.Max(1, total);
            }

            // Never quite full: a complete file is still verified, and full bars are hidden.
            task.Value = Math.Min(progress.Transferred, task.MaxValue * 0.999);
            _texts[task.Id] = TransferText.Progress(progress);
            ShowTotal();
        }
    }

    private void ShowTotal()
    {
        if (_total is null)
        {
            return;
        }

        long bytes = _doneBytes + _running.Values.Sum(progress => progress.Transferred);
        var all = new TransferProgress(bytes, _bytes, _running.Values.Sum(progress => progress.BytesPerSecond), default, 1);
        _total.Value = Math.Min(_bytes is null ? _doneFiles : bytes, _total.MaxValue * 0.999);
        _total.Description = $"{_doneFiles} of {TransferText.Files(_files)}";
        _texts[_total.Id] = TransferText.Progress(all);
    }

    private sealed class Bar : IProgress<TransferProgress>
    {
        private readonly BarDisplay _display;

        public Bar(BarDisplay display, TransferItem item, ProgressTask? task)
        {
            _display = display;
            Item = item;
            Task = task;
            display._running[this] = new TransferProgress(0, item.Bytes, 0, default, 1);
        }

        public TransferItem Item { get; }

        public ProgressTask? Task { get; }

        public void Report(TransferProgress value)
        {
            lock (_display._lock)
            {
                // A report may come late, when the bar is another file's already.
                if (_display._running.ContainsKey(this))
                {
                    _display.Show(this, value);
                }
            }
        }
    }
}

/// <summary>The numbers beside a bar: bytes, rate and time left as the transfer reports them.</summary>
internal sealed class TaskTextColumn(ConcurrentDictionary<int, string> texts) : ProgressColumn
{
    protected override bool NoWrap => true;

    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Text(texts.GetValueOrDefault(task.Id, ""));
}
