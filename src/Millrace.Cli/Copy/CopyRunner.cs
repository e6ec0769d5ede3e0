using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Millrace.Cli.Copy;

/// <summary>Plans, copies and tells.</summary>
internal static class CopyRunner
{
    private const string Prefix = "millrace copy: ";

    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static int Run(CopyArguments arguments)
    {
        List<CopyItem> items;
        try
        {
            items = CopyPlan.Make(arguments);
        }
        catch (Exception exception)
            when (exception is CopyPlanException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine(Prefix + exception.Message);
            return ExitCode.CannotStart;
        }

        using var stop = new CancellationTokenSource();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopOnce);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopOnce);
        var errors = new List<string>();
        CopySummary summary = CopyDisplay.Run(
            arguments.Quiet,
            items.Sum(item => item.Bytes),
            meter => CopyAllAsync(items, arguments.Options, meter, errors, stop.Token).GetAwaiter().GetResult());
        Tell(arguments, summary, errors);
        return summary.ExitCode;

        // A second Ctrl-C ends the process at once, as ever.
        void StopOnce(PosixSignalContext context)
        {
            context.Cancel = !stop.IsCancellationRequested;
            stop.Cancel();
        }
    }

    private static async Task<CopySummary> CopyAllAsync(
        List<CopyItem> items, FileCopyOptions options, CopyMeter meter, List<string> errors, CancellationToken stop)
    {
        long began = Stopwatch.GetTimestamp();
        var files = new List<CopiedFile>();
        int exitCode = ExitCode.Success;
        try
        {
            foreach (CopyItem item in items)
            {
                stop.ThrowIfCancellationRequested();
                meter.Begin(item);
                string? error = await CopyOneAsync(item, options, meter, files, stop).ConfigureAwait(false);
                meter.End(item);
                if (error is not null)
                {
                    errors.Add(error);
                    exitCode = ExitCode.FileFailed;
                }
            }

            FolderAttributes.Keep(items, options);
        }
        catch (OperationCanceledException)
        {
            exitCode = ExitCode.Stopped;
        }

        return new CopySummary
        {
            ExitCode = exitCode,
            Files = files,
            Bytes = files.Sum(file => file.Bytes ?? 0),
            Seconds = Stopwatch.GetElapsedTime(began).TotalSeconds,
        };
    }

    /// <returns>What went wrong; null if nothing did.</returns>
    private static async ValueTask<string?> CopyOneAsync(
        CopyItem item, FileCopyOptions options, CopyMeter meter, List<CopiedFile> files, CancellationToken stop)
    {
        try
        {
            switch (item.Kind)
            {
                case CopyItemKind.Folder:
                    Directory.CreateDirectory(item.Destination);
                    return null;
                case CopyItemKind.Link:
                    MakeLink(item, options.CreateNew);
                    return null;
                case CopyItemKind.Special:
                    return Failed(files, item, $"'{item.Source}' is a FIFO, a socket or a device and was left out.");
                default:
                    CopyResult copy = await FilePipe
                        .CopyAsync(item.Source, item.Destination, options, meter, stop)
                        .ConfigureAwait(false);
                    files.Add(new CopiedFile
                    {
                        Source = item.Source,
                        Destination = item.Destination,
                        Bytes = copy.Length,
                        CopiedBytes = copy.CopiedBytes,
                        Method = copy.Method,
                        Sha256 = copy.Sha256.IsEmpty ? null : Convert.ToHexStringLower(copy.Sha256.Span),
                    });
                    return null;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return Failed(files, item, exception.Message);
        }
    }

    private static string Failed(List<CopiedFile> files, CopyItem item, string error)
    {
        files.Add(new CopiedFile { Source = item.Source, Destination = item.Destination, Error = error });
        return error;
    }

    private static void MakeLink(CopyItem item, bool mustBeNew)
    {
        var existing = new FileInfo(item.Destination);
        if (!mustBeNew && existing.LinkTarget is not null)
        {
            existing.Delete();
        }

        File.CreateSymbolicLink(item.Destination, new FileInfo(item.Source).LinkTarget!);
    }

    private static void Tell(CopyArguments arguments, CopySummary summary, List<string> errors)
    {
        foreach (string error in errors)
        {
            Console.Error.WriteLine(Prefix + error);
        }

        if (summary.ExitCode == ExitCode.Stopped)
        {
            Console.Error.WriteLine(Prefix + "stopped. The file that was being copied has left nothing behind.");
        }

        try
        {
            if (arguments.Json)
            {
                Console.Out.WriteLine(summary.ToJson());
            }
            else if (!arguments.Quiet && summary.Files.Any(file => file.Error is null))
            {
                Console.Out.WriteLine(CopyPrinter.Describe(summary));
            }
        }
        catch (IOException)
        {
            // Whoever read the output has gone. The exit code is what counts.
        }
    }
}
