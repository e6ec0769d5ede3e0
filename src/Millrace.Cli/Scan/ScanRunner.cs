using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Millrace.Cli.Scan;

/// <summary>Scans one file after the other and prints.</summary>
internal static class ScanRunner
{
    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static int Run(ScanArguments arguments)
    {
        using var stop = new CancellationTokenSource();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopOnce);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopOnce);
        var printer = new ScanPrinter(arguments);
        List<ScannedFile> files = [];
        long started = Stopwatch.GetTimestamp();
        bool stopped = false;
        foreach (string path in arguments.Paths)
        {
            ScannedFile file;
            try
            {
                file = ScanAsync(path, arguments, stop.Token).GetAwaiter().GetResult();
            }
            catch (OperationCanceledException)
            {
                stopped = true;
                break;
            }

            files.Add(file);
            printer.Write(file);
        }

        var report = new ScanReport(
            arguments.What,
            files.Aggregate((Int128)0, static (sum, file) => sum + (file.Value ?? 0)),
            files.Sum(static file => file.Bytes),
            Stopwatch.GetElapsedTime(started).TotalMilliseconds,
            stopped,
            files);
        printer.Write(report);
        return stopped ? ExitCode.Stopped
            : report.Failed > 0 ? ExitCode.FileFailed
            : ExitCode.Success;

        // A second Ctrl-C ends the process at once, as ever.
        void StopOnce(PosixSignalContext context)
        {
            context.Cancel = !stop.IsCancellationRequested;
            stop.Cancel();
        }
    }

    private static async Task<ScannedFile> ScanAsync(string path, ScanArguments arguments, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        try
        {
            RangeTally[] ranges = await FilePipe.ScanAsync(
                path,
                arguments.Degree,
                arguments.Boundary,
                RangeCounter.For(arguments),
                cancellationToken: cancellationToken).ConfigureAwait(false);
            RangeTally all = ranges.Aggregate(static (left, right) => left + right);

            // Of a large file there are more ranges than readers.
            int readers = Math.Min(ranges.Length, arguments.Degree == 0 ? Environment.ProcessorCount : arguments.Degree);
            return new ScannedFile(path, all.Value, all.Bytes, all.Rest, readers, Elapsed());
        }
        catch (Exception exception) when (exception is FilePipeException or ArgumentException)
        {
            return new ScannedFile(path, null, 0, 0, 0, Elapsed(), exception.Message);
        }

        double Elapsed() => Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    }
}
