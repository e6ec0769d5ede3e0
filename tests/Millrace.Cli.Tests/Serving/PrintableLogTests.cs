using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The log on a terminal.</summary>
public sealed class PrintableLogTests
{
    [Fact]
    public void Name_of_a_file_in_a_system_error_is_printed_without_controls()
    {
        using ServiceProvider services = new ServiceCollection()
            .AddLogging(new ServeLog(Quiet: false, Json: false, Journal: false).Configure).BuildServiceProvider();
        string used = services.GetRequiredService<IOptions<ConsoleLoggerOptions>>().Value.FormatterName!;
        ConsoleFormatter formatter = services.GetServices<ConsoleFormatter>().Single(formatter => formatter.Name == used);
        using var output = new StringWriter();

        formatter.Write(
            new LogEntry<string>(
                LogLevel.Error, "Test", 7, "list failed", new IOException("esc\u001b[2J c1\u009b turn\u202E line\nbreak\r"), static (state, _) => state),
            scopeProvider: null,
            output);

        string line = output.ToString();
        Assert.Contains("esc\uFFFD[2J", line, StringComparison.Ordinal);
        Assert.True(PrintableText.IsClean(line.TrimEnd('\n')), line);
    }

    [Fact]
    public void Line_for_a_terminal_has_its_time_in_UTC_and_one_for_the_journal_its_priority()
    {
        Assert.Matches("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ warn: Test\\[7\\] text$", LineOf(new ServeLog(Quiet: false, Json: false, Journal: false), LogLevel.Warning));
        var journal = new ServeLog(Quiet: false, Json: false, Journal: true);
        Assert.Equal("<6>info: Test[7] text", LineOf(journal, LogLevel.Information));
        Assert.Equal("<3>fail: Test[7] text", LineOf(journal, LogLevel.Error));
        Assert.StartsWith("<2>{", LineOf(journal with { Json = true }, LogLevel.Critical), StringComparison.Ordinal);
    }

    private static string LineOf(ServeLog log, LogLevel level)
    {
        using ServiceProvider services = new ServiceCollection().AddLogging(log.Configure).BuildServiceProvider();
        using var output = new StringWriter();
        services.GetServices<ConsoleFormatter>().Single(static formatter => formatter.Name == PrintableLog.FormatterName)
            .Write(new LogEntry<string>(level, "Test", 7, "text", exception: null, static (state, _) => state), scopeProvider: null, output);
        return output.ToString().TrimEnd();
    }
}
