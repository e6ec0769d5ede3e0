using System.Text;
using System.Text.RegularExpressions;
using Millrace.Transfer;
using Spectre.Console;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The display while files are moved.</summary>
public sealed partial class TransferDisplayTests
{
    private const long MiB = 1024 * 1024;

    private readonly StringBuilder _output = new();

    /// <summary>Writes the output, and is the lock that guards it.</summary>
    private readonly TextWriter _screen;

    public TransferDisplayTests() => _screen = TextWriter.Synchronized(new StringWriter(_output));

    [Fact]
    public async Task Bars_show_every_running_file_and_the_total_and_are_used_again()
    {
        IAnsiConsole console = Terminal();
        TransferItem[] items = [.. Enumerable.Range(0, 10).Select(Item)];

        await BarDisplay.RunAsync(console, items, async display =>
        {
            foreach ((int done, TransferItem[] pair) in items.Chunk(2).Index())
            {
                foreach (TransferItem item in pair)
                {
                    display.Begin(item).Report(new TransferProgress(MiB / 2, MiB, MiB, TimeSpan.FromSeconds(1), 1));
                }

                // Until the bars have been drawn with what both have reported, which happens on another thread.
                await DrawnAsync(pair[1].Path);
                await DrawnAsync($"{(2 * done) + 1} MiB of 10 MiB, 2 MiB/s");
                foreach (TransferItem item in pair)
                {
                    display.End(new TransferOutcome(item, Result(item), null, 1));
                }
            }

            return 0;
        });

        string text = Plain();
        Assert.All(items, item => Assert.Contains(item.Path, text, StringComparison.Ordinal));
        Assert.Contains("512 KiB of 1 MiB, 1 MiB/s, 1 s left", text, StringComparison.Ordinal);
        Assert.Contains("8 of 10 files", text, StringComparison.Ordinal);
        Assert.Contains("9 MiB of 10 MiB, 2 MiB/s", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_with_markup_is_shown_as_it_is()
    {
        await BarDisplay.RunAsync(Terminal(), [new TransferItem("[red]x[/]", default, "http://h/files/x", null)], async display =>
        {
            display.Begin(new TransferItem("[red]x", default, "http://h/files/x", null)).Report(default);
            await DrawnAsync("[red]x");
            return 0;
        });

        Assert.Contains("[red]x", Plain(), StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_terminal_a_line_comes_every_ten_seconds()
    {
        var output = new StringWriter();
        IProgress<TransferProgress> line = new PlainDisplay(output).Begin(Item(1));

        for (int second = 0; second <= 25; second++)
        {
            line.Report(new TransferProgress(second, MiB, 0, TimeSpan.FromSeconds(second), 1));
        }

        Assert.Equal(["1.bin: 10 B of 1 MiB", "1.bin: 20 B of 1 MiB"], output.ToString().Split(output.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public void Without_a_terminal_small_files_have_no_lines()
    {
        var output = new StringWriter();

        new PlainDisplay(output).Begin(Item(1) with { Bytes = 1000 }).Report(new TransferProgress(10, 1000, 0, TimeSpan.FromSeconds(60), 1));

        Assert.Empty(output.ToString());
    }

    private static TransferItem Item(int number) =>
        new($"{number}.bin", TransferName.Parse($"{number}.bin"), $"http://h/files/{number}.bin", MiB);

    private static TransferResult Result(TransferItem item) => new(item.Name, MiB, null, null, TransferProtocol.Http1, MiB, 1);

    private IAnsiConsole Terminal()
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.Yes,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.Yes,
            Out = new AnsiConsoleOutput(_screen),
        });
        console.Profile.Width = 120;
        return console;
    }

    private Task DrawnAsync(string text) => Bounded.UntilAsync(() => Plain().Contains(text, StringComparison.Ordinal));

    private string Plain()
    {
        lock (_screen)
        {
            return Escapes().Replace(_output.ToString(), "");
        }
    }

    [GeneratedRegex("\u001b\\[[0-9;?]*[A-Za-z]")]
    private static partial Regex Escapes();
}
