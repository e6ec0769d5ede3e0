using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;

namespace Millrace.Cli.Serve;

/// <summary>The log of `millrace serve`: on the error output, one line a transfer.</summary>
internal static class ServeLog
{
    /// <summary>Sets it up.</summary>
    public static void Configure(ILoggingBuilder logging, ServeArguments arguments)
    {
        logging.SetMinimumLevel(arguments.Quiet ? LogLevel.Warning : LogLevel.Information);
        if (arguments.Json)
        {
            logging.AddJsonConsole(format => format.UseUtcTimestamp = true);
        }
        else
        {
            logging.AddSimpleConsole(format =>
            {
                format.SingleLine = true;
                format.ColorBehavior = LoggerColorBehavior.Disabled;
                format.TimestampFormat = "yyyy-MM-dd HH:mm:ss ";
                format.UseUtcTimestamp = true;
            });
        }

        logging.Services.Configure<ConsoleLoggerOptions>(console =>
        {
            console.LogToStandardErrorThreshold = LogLevel.Trace;

            // A log that nobody reads must not stop the transfers.
            console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite;
        });
    }
}
