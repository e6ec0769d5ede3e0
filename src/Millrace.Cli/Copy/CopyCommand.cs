using System.CommandLine;
using System.CommandLine.Help;
using System.Diagnostics;
using Millrace.Interop;
using Millrace.Transfer;
using Spectre.Console;

namespace Millrace.Cli;

/// <summary>`millrace copy`.</summary>
internal static class CopyCommand
{
    private const string None = "none";
    private const string Commit = "commit";
    private const string Prefix = "millrace copy: ";
    private const string Mode = "mode";
    private const string Times = "times";

    private const int MaxPaths = 100_000;

    private const string Details = """
        A copy gets its name when it is complete; until then a file of that name stays as it is. Copies share their blocks
        with the source (reflink) where the file system can do that, otherwise the kernel copies. Holes stay
        holes, and dates stay as they are.

        Examples:
          millrace copy disk.img backup.img
          millrace copy --verify -p *.log /mnt/archive
          millrace copy -r photos /mnt/archive --durability none

        Exit codes:
          0    everything was copied
          1    could not start: wrong arguments, or a source that is not there; nothing was copied
          3    at least one file was not copied; the others were, and the error output says which and why
          130  stopped by Ctrl-C; nothing is left of the file that was being copied, the ones before it are complete
        """;

    public static Command Create()
    {
        var paths = new Argument<string[]>("SOURCE... DESTINATION")
        {
            Description = "One or more files, and the name of the copy or a folder to copy into.",
            Arity = new ArgumentArity(2, MaxPaths),
        };
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "Copy folders with their contents; links in them stay links.",
        };
        var verify = new Option<bool>("--verify")
        {
            Description = "Read both files again, the copy from its device, and compare their SHA-256 before naming the copy.",
        };
        var noTimes = new Option<bool>("--no-times")
        {
            Description = "Give the copies the time at which they are made, not those of the last write and access.",
        };
        var preserve = new Option<string[]>("--preserve")
        {
            Description = "Keep the permissions (mode); times are kept anyway.",
            HelpName = $"{Mode},{Times}",
        };
        preserve.Validators.Add(result =>
        {
            foreach (string name in Split(result.GetValueOrDefault<string[]>()))
            {
                if (name is not (Mode or Times))
                {
                    result.AddError($"--preserve: '{name}' is not an attribute; use {Mode} or {Times}.");
                }
                else if (name == Times && result.GetResult(noTimes) is { Implicit: false })
                {
                    result.AddError("--preserve times and --no-times exclude each other.");
                }
            }
        });
        var both = new Option<bool>("-p") { Description = $"The same as --preserve {Mode}." };
        var createNew = new CreateNewOption("Fail if a file has the name of a copy already.", "--no-replace");
        var durability = new Option<string>("--durability")
        {
            Description = "Finish when the copy is on the device (commit) or in the system's memory (none).",
            HelpName = $"{None}|{Commit}",
            DefaultValueFactory = _ => Commit,
        };
        durability.AcceptOnlyFromAmong(None, Commit);
        var noReflink = new Option<bool>("--no-reflink")
        {
            Description = "Copy the blocks even where the copy could share them with the source.",
        };
        var noCache = new NoCacheOption();
        var quiet = new Option<bool>("--quiet", "-q") { Description = "Print errors only." };
        var json = new Option<bool>("--json") { Description = "Write the result as JSON." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("copy", "Copy files completely or not at all, by the fastest method of the system.")
        {
            help, paths, recursive, verify, preserve, both, noTimes, durability, noReflink, noCache, quiet, json,
        };
        createNew.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(paths)!;
            string[] kept = [.. Split(parsed.GetValue(preserve))];
            bool all = parsed.GetValue(both);
            var options = new FileCopyOptions
            {
                Durability = parsed.GetValue(durability) == None ? Durability.None : Durability.OnCommit,
                CreateNew = createNew.Read(parsed),
                NoReflink = parsed.GetValue(noReflink),
                KeepCached = !parsed.GetValue(noCache),
                PreserveMode = all || kept.Contains(Mode, StringComparer.Ordinal),
                PreserveTimes = !parsed.GetValue(noTimes),
                Verify = parsed.GetValue(verify),
            };
            return Run(
                () => CopyPlan.Make(given[..^1], given[^1], parsed.GetValue(recursive)),
                options, parsed.GetValue(quiet), parsed.GetValue(json));
        });
        return command;
    }

    private static IEnumerable<string> Split(string[]? values) =>
        (values ?? []).SelectMany(value => value.Split(',', StringSplitOptions.RemoveEmptyEntries));

    private static int Run(Func<List<CopyItem>> plan, FileCopyOptions options, bool quiet, bool json)
    {
        List<CopyItem> items;
        try
        {
            items = plan();
        }
        catch (Exception exception)
            when (exception is CopyPlanException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            Console.Error.WriteLine(Prefix + PrintableText.Clean(exception.Message));
            return ExitCode.CannotStart;
        }

        using var stop = new StopSignal();
        var errors = new List<string>();
        CopySummary summary = CopyDisplay.Run(
            quiet,
            items.Sum(item => item.Bytes),
            meter => CopyAllAsync(items, options, meter, errors, stop.Token).GetAwaiter().GetResult());
        Print(summary, errors, quiet, json);
        return summary.ExitCode;
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

            PreserveFolders(items, options);
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

    private static void Print(CopySummary summary, List<string> errors, bool quiet, bool json)
    {
        foreach (string error in errors)
        {
            Console.Error.WriteLine(Prefix + PrintableText.Clean(error));
        }

        if (summary.ExitCode == ExitCode.Stopped)
        {
            Console.Error.WriteLine(Prefix + "stopped. Nothing is left of the file that was being copied.");
        }

        if (json)
        {
            TransferCommand.WriteLine(Console.Out, CommandJson.ToDocument(summary));
        }
        else if (!quiet && summary.Files.Any(file => file.Error is null))
        {
            TransferCommand.WriteLine(Console.Out, CopyPrinter.Describe(summary));
        }
    }

    // When nothing more is put into them; innermost first, because a folder may become read-only.
    private static void PreserveFolders(List<CopyItem> items, FileCopyOptions options)
    {
        foreach (CopyItem item in Enumerable.Reverse(items).Where(item => item.Kind == CopyItemKind.Folder))
        {
            if (!Directory.Exists(item.Destination))
            {
                // Creating it failed, which was reported.
                continue;
            }

            if (options.PreserveTimes && !SpecialFile.TryCopyTimes(item.Source, item.Destination))
            {
                Directory.SetLastAccessTimeUtc(item.Destination, Directory.GetLastAccessTimeUtc(item.Source));
                Directory.SetLastWriteTimeUtc(item.Destination, Directory.GetLastWriteTimeUtc(item.Source));
            }

            if (options.PreserveMode && !OperatingSystem.IsWindows())
            {
                UnixFileMode mode = File.GetUnixFileMode(item.Source);
                File.SetUnixFileMode(
                    item.Destination,
                    OperatingSystem.IsLinux() && AccessList.TryGet(item.Source) is { } list ? AccessList.Without(mode, list) : mode);
            }
        }
    }
}

/// <summary>A progress bar with bytes, rate and time left on the error output of a terminal; otherwise nothing.</summary>
internal static class CopyDisplay
{
    /// <summary>Does the work with a display around it.</summary>
    public static T Run<T>(bool quiet, long bytes, Func<CopyMeter, T> work)
    {
        if (quiet || Console.IsErrorRedirected)
        {
            return work(new CopyMeter(bar: null));
        }

        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        return console.Progress()
            .AutoClear(true)
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn(),
                new PercentageColumn(),
                new DownloadedColumn(),
                new TransferSpeedColumn(),
                new RemainingTimeColumn())
            .Start(context => work(new CopyMeter(context.AddTask("copying", maxValue: Math.Max(1, bytes)))));
    }
}

/// <summary>Takes every file's progress and shows that of all of them.</summary>
internal sealed class CopyMeter(ProgressTask? bar) : IProgress<FileCopyProgress>
{
    private long _before;

    public void Begin(CopyItem item)
    {
        if (bar is not null)
        {
            bar.Description = Markup.Escape(PrintableText.Clean(Path.GetFileName(item.Source)));
        }
    }

    public void End(CopyItem item)
    {
        _before += item.Bytes;
        Show(_before);
    }

    public void Report(FileCopyProgress value)
    {
        if (bar is not null && value.Verifying && !bar.Description.EndsWith(Verifying, StringComparison.Ordinal))
        {
            bar.Description += Verifying;
        }

        // Compared bytes were counted when they were copied.
        if (!value.Verifying)
        {
            Show(_before + value.CopiedBytes);
        }
    }

    private const string Verifying = " (verifying)";

    private void Show(long bytes)
    {
        if (bar is not null)
        {
            bar.MaxValue = Math.Max(bar.MaxValue, bytes);
            bar.Value = bytes;
        }
    }
}

/// <summary>Describes the result in one line: files, method, speed.</summary>
internal static class CopyPrinter
{
    /// <summary>For example "Copied 12 files, 1.2 GiB, in 3.1 s (396 MiB/s): 11 by copy_file_range, 1 by reflink."</summary>
    public static string Describe(CopySummary summary)
    {
        CopiedFile[] copied = [.. summary.Files.Where(file => file.Error is null)];
        string how = copied.Length == 1
            ? copied[0].Method!
            : string.Join(", ", copied
                .GroupBy(file => file.Method, StringComparer.Ordinal)
                .OrderByDescending(group => group.Count())
                .Select(group => $"{group.Count()} by {group.Key}"));
        string what = copied.Length == 1
            ? $"{copied[0].Source} to {copied[0].Destination}"
            : $"{copied.Length} files";
        string text = $"Copied {what}, {SizeText.Of(summary.Bytes)}, in {DurationText.Of(summary.Seconds)}{Rate(summary)}";
        text += how.Length > 0 ? $": {how}" : "";
        text += Holes(copied);
        if (copied.Length > 0 && copied.All(file => file.Sha256 is not null))
        {
            text += copied.Length == 1 ? $"; verified, SHA-256 {copied[0].Sha256}" : "; verified";
        }

        return PrintableText.Clean(text + ".");
    }

    // Shared blocks were not copied either, and are not holes.
    private static string Holes(CopiedFile[] copied)
    {
        long holes = copied.Where(file => file.CopiedBytes > 0).Sum(file => file.Bytes!.Value - file.CopiedBytes!.Value);
        return holes > 0 ? $"; {SizeText.Of(holes)} of it are holes" : "";
    }

    private static string Rate(CopySummary summary) => summary is { Bytes: > 0, Seconds: > 0 }
        ? $" ({SizeText.Of((long)(summary.Bytes / summary.Seconds))}/s)"
        : "";
}

/// <summary>What `millrace copy` did; docs/copy.md describes it as JSON.</summary>
internal sealed record CopySummary
{
    public required int ExitCode { get; init; }
    public required IReadOnlyList<CopiedFile> Files { get; init; }
    public required long Bytes { get; init; }
    public required double Seconds { get; init; }

}

/// <summary>What became of one file; a line of `--json`.</summary>
internal sealed record CopiedFile
{
    public required string Source { get; init; }
    public required string Destination { get; init; }
    public long? Bytes { get; init; }
    public long? CopiedBytes { get; init; }
    public string? Method { get; init; }
    public string? Sha256 { get; init; }
    public string? Error { get; init; }
}
