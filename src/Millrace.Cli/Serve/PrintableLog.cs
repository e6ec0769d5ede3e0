using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>
/// The framework's lines without anything that a terminal obeys: the system's errors have names of files as they are. For the journal, they begin
/// with their priority, as in <c>&lt;4&gt;</c>.
/// </summary>
internal sealed class PrintableLog(IServiceProvider services, ServeLog log) : ConsoleFormatter(FormatterName)
{
    public const string FormatterName = "printable";

    public override void Write<TState>(in LogEntry<TState> logEntry, IExternalScopeProvider? scopeProvider, TextWriter textWriter)
    {
        using var line = new StringWriter();
        string inner = log.Json ? ConsoleFormatterNames.Json : ConsoleFormatterNames.Simple;
        services.GetServices<ConsoleFormatter>().First(formatter => formatter.Name == inner).Write(logEntry, scopeProvider, line);
        textWriter.WriteLine((log.Journal ? PriorityOf(logEntry.LogLevel) : "") + PrintableText.Clean(line.ToString().TrimEnd()));
    }

    // sd-daemon(3).
    private static string PriorityOf(LogLevel level) => level switch
    {
        LogLevel.Critical => "<2>",
        LogLevel.Error => "<3>",
        LogLevel.Warning => "<4>",
        LogLevel.Information => "<6>",
        _ => "<7>",
    };
}
