using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>The framework's lines without anything that a terminal obeys: the system's errors have names of files as they are.</summary>
internal sealed class PrintableLog(IServiceProvider services) : ConsoleFormatter(FormatterName)
{
    public const string FormatterName = "printable";

    public override void Write<TState>(in LogEntry<TState> logEntry, IExternalScopeProvider? scopeProvider, TextWriter textWriter)
    {
        using var line = new StringWriter();
        services.GetServices<ConsoleFormatter>().First(static formatter => formatter.Name == ConsoleFormatterNames.Simple)
            .Write(logEntry, scopeProvider, line);
        textWriter.WriteLine(PrintableText.Clean(line.ToString().TrimEnd()));
    }
}
