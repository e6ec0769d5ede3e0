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
            .AddLogging(static logging => ServeLog.Configure(logging, quiet: false, json: false)).BuildServiceProvider();
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
}
