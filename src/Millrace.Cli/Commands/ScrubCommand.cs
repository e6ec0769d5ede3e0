using System.CommandLine;
using System.CommandLine.Help;
using System.Diagnostics;
using System.Globalization;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>`millrace scrub`.</summary>
internal static class ScrubCommand
{
    private const string Name = "scrub";

    private const string Details = """
        Reads all files of a served folder, or of a bucket, and compares them with the SHA-256 that the server keeps of each version.
        A file is damaged if its bytes differ and nothing has changed its date, size or identity since. Files without a SHA-256 get
        one. A folder whose server is running is checked by that: start it with --scrub, and see the result with --list.

        Examples:
          millrace scrub /srv/files
          millrace scrub /srv/files --limit-rate 50M
          millrace scrub /srv/files --list
          millrace scrub s3://backups/2026

        Exit codes:
          0    no file is damaged
          1    could not start, or at least one file is damaged or could not be read
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var folder = new Argument<string>("FOLDER")
        {
            Description = "The folder, or s3://BUCKET/PREFIX.",
            DefaultValueFactory = _ => ".",
        };
        var list = new Option<bool>("--list") { Description = "Read nothing; list the damaged files that were found, also by a server that is running." };
        Option<string?> state = StateOption.Create("Write nothing to the folder, and use the SHA-256 in this one ('millrace serve --read-only --state DIR').");
        state.Validators.Add(result =>
        {
            if (BucketConnection.IsBucket(result.GetResult(folder)?.Tokens is [var token, ..] ? token.Value : null))
            {
                result.AddError("--state is for folders; leave it out for a bucket.");
            }
        });
        Option<long?> rate = SizeArgument.Option("--limit-rate", "Read at most so many bytes in a second.", min: 1000, range: "1000 bytes or more");
        var quiet = new Option<bool>("--quiet", "-q") { Description = "Print damaged files and errors only." };
        var json = new Option<bool>("--json") { Description = "Write a JSON line for each damaged file, and one at the end." };
        var bucket = new BucketConnection();
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, "Read all files of a served folder, and find those that the device has damaged.")
        {
            help, folder, list, state, rate, quiet, json,
        };
        command.Add([.. bucket.All]);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(folder)!;
            using var stop = new StopSignal();
            try
            {
                S3FileStoreOptions? connection = BucketConnection.IsBucket(given) ? bucket.Read(parsed, given) : null;
                Task<ScrubStatus> result = parsed.GetValue(list) ? ListAsync(given, parsed.GetValue(state), connection, stop.Token)
                    : RunAsync(given, parsed.GetValue(state), connection, parsed.GetValue(rate), parsed.GetValue(quiet) || parsed.GetValue(json), stop.Token);
                return Print(given, result.GetAwaiter().GetResult(), parsed.GetValue(list), parsed.GetValue(quiet), parsed.GetValue(json));
            }
            catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
            {
                Console.Error.WriteLine("millrace scrub: stopped.");
                return ExitCode.Stopped;
            }
            catch (Exception exception) when (TransferFailure.IsExpected(exception))
            {
                TransferCommand.PrintError(Name, parsed.GetValue(json), given, exception);
                return ExitCode.CannotStart;
            }
        });
        return command;
    }

    private static async Task<ScrubStatus> ListAsync(string given, string? state, S3FileStoreOptions? connection, CancellationToken stop)
    {
        if (connection is null)
        {
            return Directory.Exists(given) ? await StoreScrub.ReadStatusAsync(given, state).ConfigureAwait(false) : throw NoFolder(given);
        }

        var store = new S3FileStore(connection);
        await using (store.ConfigureAwait(false))
        {
            return await StoreScrub.ReadStatusAsync(store, stop).ConfigureAwait(false);
        }
    }

    private static async Task<ScrubStatus> RunAsync(
        string given, string? state, S3FileStoreOptions? connection, long? rate, bool isQuiet, CancellationToken stop)
    {
        IFileStore store = connection is not null ? new S3FileStore(connection) : OpenFolder(given, state);
        await using (((IAsyncDisposable)store).ConfigureAwait(false))
        {
            bool isShown = !isQuiet && !Console.IsErrorRedirected;
            var scrub = new StoreScrub(store, new ScrubOptions { MaxBytesPerSecond = rate, Progress = isShown ? new ProgressLine() : null });
            await using (scrub.ConfigureAwait(false))
            {
                try
                {
                    return await scrub.RunAsync(stop).ConfigureAwait(false);
                }
                finally
                {
                    await Console.Error.WriteAsync(isShown ? "\r\e[K" : "").ConfigureAwait(false);
                }
            }
        }
    }

    private static LocalFileStore OpenFolder(string given, string? state)
    {
        if (!Directory.Exists(given))
        {
            throw NoFolder(given);
        }

        try
        {
            return new LocalFileStore(given, new LocalFileStoreOptions { ReadOnly = state is not null, StatePath = state });
        }
        catch (TransferException exception) when (ReadyFile.Find(given, state) is not null)
        {
            throw new TransferException(
                TransferError.Failed,
                $"A running server uses the folder '{given}'. Start that one with --scrub to check its files, and see the result with 'millrace scrub {given} --list'.",
                innerException: exception);
        }
    }

    private static TransferException NoFolder(string given) => new(
        TransferError.NotFound, $"Folder '{given}' does not exist. Name a served folder, or a bucket as s3://BUCKET/PREFIX.");

    private static int Print(string given, ScrubStatus status, bool isList, bool isQuiet, bool isJson)
    {
        foreach (DamagedFile file in status.Damaged)
        {
            TransferCommand.WriteLine(Console.Out, isJson ? CommandJson.ToLine(DamagedLine.Of(file)) : DamagedLine.Describe(file));
        }

        if (isJson)
        {
            TransferCommand.WriteLine(Console.Out, CommandJson.ToLine(ScrubLine.Of(status)));
        }
        else if (!isQuiet)
        {
            TransferCommand.WriteLine(Console.Out, Describe(given, status, isList));
        }

        return status.Damaged.Count > 0 || (!isList && status.Skipped > 0) ? ExitCode.TransferFailed : ExitCode.Success;
    }

    private static string Describe(string given, ScrubStatus status, bool isList)
    {
        if (status is { Started: null, Completed: null })
        {
            return $"The files of {given} have not been checked yet. 'millrace scrub {given}' or a server with --scrub does that.";
        }

        string damaged = status.Damaged.Count switch { 0 => "no file is damaged", 1 => "1 file is damaged", var count => $"{count} files are damaged" };
        string skipped = status.Skipped == 0 ? "" : $", and {status.Skipped} could not be read or change all the time";
        string checkedText = $"{status.Files} {(status.Files == 1 ? "file" : "files")} ({SizeText.Of(status.Bytes)}) checked: {damaged}{skipped}.";
        return !isList ? checkedText
            : status.Started is { } started
                ? string.Create(CultureInfo.InvariantCulture, $"Since {started.UtcDateTime:yyyy-MM-dd HH:mm}, {checkedText} The files have {SizeText.Of(status.TotalBytes)}.")
            : string.Create(CultureInfo.InvariantCulture, $"Until {status.Completed!.Value.UtcDateTime:yyyy-MM-dd HH:mm}, {checkedText}");
    }

    /// <summary>A line of the terminal that is written over.</summary>
    private sealed class ProgressLine : IProgress<ScrubStatus>
    {
        private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(200);

        private long _shown;

        public void Report(ScrubStatus value)
        {
            if (_shown == 0 || Stopwatch.GetElapsedTime(_shown) >= Interval)
            {
                _shown = Stopwatch.GetTimestamp();
                Console.Error.Write(
                    $"\r\e[K{SizeText.Of(value.Bytes)} of {SizeText.Of(value.TotalBytes)}, {value.Files} files, {value.Damaged.Count} damaged");
            }
        }
    }
}

/// <summary>The last line of `millrace scrub --json`.</summary>
internal sealed record ScrubLine(
    DateTimeOffset? Started, DateTimeOffset? Completed, long Files, long Bytes, long TotalBytes, long Skipped, int Damaged)
{
    public static ScrubLine Of(ScrubStatus status) => new(
        status.Started, status.Completed, status.Files, status.Bytes, status.TotalBytes, status.Skipped, status.Damaged.Count);
}

/// <summary>A damaged file; a line of `millrace scrub --json`.</summary>
internal sealed record DamagedLine(string Name, long Length, string? Sha256, string? FoundSha256, string? Reason, DateTimeOffset Found)
{
    public static DamagedLine Of(DamagedFile file) => new(file.Name, file.Length, file.Sha256, file.FoundSha256, file.Reason, file.Found);

    public static string Describe(DamagedFile file) => PrintableText.Clean(
        $"{file.Name}: damaged, {(file.Reason is { } reason ? $"it cannot be read: {reason}" : $"SHA-256 {file.FoundSha256} instead of {file.Sha256}")}");
}
