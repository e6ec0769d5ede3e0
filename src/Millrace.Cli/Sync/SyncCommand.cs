using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace sync`.</summary>
internal static class SyncCommand
{
    private const string Details = """
        Makes TARGET like SOURCE: files that TARGET does not have, or has in another version, are moved there, each whole or not
        at all; the others are left alone. A file is the same if its length and date are, or its SHA-256. Either side is a folder
        here or the URL of a folder on a server; only SOURCE is read, only TARGET changes. After an interruption the same command
        goes on.

        Without --delete nothing is removed from TARGET. Removed files go to the folder of --backup-dir; without it they are gone.
        A source that is empty or cannot be read in full removes nothing, nor does a plan that removes more than --max-delete.

        With --atomic all of TARGET changes in one step, when every file is there. The new version is made beside it, as
        TARGET.next-…, with hard links to unchanged files. --keep keeps earlier versions as TARGET.kept-…, which --restore
        brings back.

        With --watch it goes on with files that change later, when they have been left alone for a second, until Ctrl-C.

        Patterns are those of .gitignore: *.tmp, cache/, /build, docs/**/*.pdf. Excluded files stay as they are in TARGET.

        Examples:
          millrace sync photos http://host:8080/files/photos/
          millrace sync --delete --dry-run site http://host:8080/files/site/
          millrace sync --exclude '*.tmp' --exclude .git/ work /mnt/backup/work
          millrace sync --delete --atomic --keep 3 site http://host:8080/files/site/
          millrace sync --delete --backup-dir ../old http://host:8080/files/data/ data

        Exit codes:
          0    TARGET is like SOURCE now; with --watch, Ctrl-C came while nothing was moved
          1    could not start, or at least one file failed (named on the error output); the others are done
          4    TARGET is like SOURCE but for what was left out, named on the error output: names that the other side does not
               take, links to folders, and what is no file
          5    there was nothing to do; only with --exit-code
          130  stopped by Ctrl-C; the same command goes on
        """;

    private const string Percent = "%";

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: true);
        Argument<string> source = RemoteNames.Argument<string>(set, "SOURCE", "A folder, or the URL of a folder.", ArgumentArity.ZeroOrOne);
        Argument<string> target = RemoteNames.Argument<string>(
            set, "TARGET", "The folder or the URL of the folder that becomes the same.", ArgumentArity.ZeroOrOne);
        var delete = new Option<bool>("--delete") { Description = "Remove files from TARGET that SOURCE does not have." };
        var backup = new Option<string?>("--backup-dir")
        {
            Description = "Move removed files to this folder, relative to TARGET, instead of deleting them.",
            HelpName = "FOLDER",
        };
        Option<(int? Count, double Share)?> maxDelete = ParsedOption.Create<(int? Count, double Share)?>(
            "--max-delete", "N|N%", "Remove nothing if more files than this would be (default: 50% of TARGET's).", ParseMaxDelete);
        var force = new Option<bool>("--force")
        {
            Description = "Remove files also if SOURCE is empty or partly unreadable, and however many.",
        };
        var dryRun = new Option<bool>("--dry-run", "-n") { Description = "Print the plan and change nothing." };
        var include = new Option<string[]>("--include") { Description = "Sync only files that match this pattern, or another one of these.", HelpName = "PATTERN" };
        var exclude = new Option<string[]>("--exclude") { Description = "Leave files alone that match this pattern.", HelpName = "PATTERN" };
        var excludeFrom = new Option<string[]>("--exclude-from") { Description = "Read patterns to exclude from this file, one a line.", HelpName = "FILE" };
        var checksum = new Option<bool>("--checksum") { Description = "Take files for the same when their SHA-256 is, not when their length and date are." };
        Option<bool> perms = PermissionsOption.Create();
        Option<bool> links = LinksOption.Create();
        var noTimes = new Option<bool>("--no-times") { Description = "Give files the date of their arrival, not that of their last change." };
        var wait = new Option<bool>("--wait") { Description = "Wait for another sync into TARGET instead of failing." };
        var watch = new Option<bool>("--watch") { Description = "Go on: move files of SOURCE, a folder here, whenever they have changed, until Ctrl-C." };
        var atomic = new AtomicOptionSet();
        var restore = new Option<string?>("--restore")
        {
            Description = "Give this folder the version back that --keep has kept last; without SOURCE and TARGET.",
            HelpName = "TARGET",
        };
        var exitCode = new Option<bool>("--exit-code") { Description = $"Exit with {ExitCode.NothingToDo} if there was nothing to do." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("sync", "Make a folder on a server like one here, or the other way round.")
        {
            help, source, target, delete, backup, maxDelete, force, dryRun, include, exclude, excludeFrom, checksum, noTimes, perms, links, wait, watch, restore, exitCode,
        };
        atomic.AddTo(command);
        foreach (Option needsDelete in (Option[])[backup, maxDelete, force])
        {
            needsDelete.Validators.Add(result =>
            {
                if (!result.Implicit && result.GetResult(delete) is not { Implicit: false })
                {
                    result.AddError($"{result.Option.Name} needs --delete: nothing is removed without it.");
                }
            });
        }

        watch.Validators.Add(result =>
        {
            foreach (Option other in (Option[])[dryRun, exitCode])
            {
                if (!result.Implicit && result.GetResult(other) is { Implicit: false })
                {
                    result.AddError($"--watch and {other.Name} exclude each other.");
                }
            }
        });
        command.Validators.Add(result =>
        {
            bool restores = result.GetResult(restore) is { Implicit: false };
            if (restores ? result.GetValue(source) is not null : result.GetValue(source) is null || result.GetValue(target) is null)
            {
                result.AddError(restores ? "--restore names the folder; give no SOURCE and no TARGET." : "Name the SOURCE and the TARGET.");
            }

            foreach (Option other in (Option[])[watch, backup])
            {
                if (result.GetResult(other) is { Implicit: false } && atomic.IsGiven(result))
                {
                    result.AddError($"{other.Name} and {AtomicOptionSet.Name} exclude each other.");
                }
            }
        });
        set.AddTo(command);
        command.SetAction(parsed => TransferCommand.Run("sync", set, parsed, parsed.GetValue(restore) ?? parsed.GetValue(target)!, (settings, stop) =>
        {
            (int? count, double share) = parsed.GetValue(maxDelete) ?? (null, 0.5);
            string[] excluded =
            [
                .. (parsed.GetValue(excludeFrom) ?? []).SelectMany(ReadPatterns),
                .. parsed.GetValue(exclude) ?? [],
            ];
            var filter = new SyncFilter(parsed.GetValue(include) ?? [], excluded);
            var options = new SyncOptions
            {
                Delete = parsed.GetValue(delete),
                BackupFolder = parsed.GetValue(backup),
                MaxDelete = count,
                MaxDeleteShare = share,
                Force = parsed.GetValue(force),
                BySha256 = parsed.GetValue(checksum),
                NoTimes = parsed.GetValue(noTimes),
                Permissions = parsed.GetValue(perms),
                SymbolicLinks = parsed.GetValue(links),
                Filter = filter.IsEmpty ? null : filter.Takes,
            };
            var run = new SyncRun(options, settings)
            {
                IsDry = parsed.GetValue(dryRun),
                Waits = parsed.GetValue(wait),
                TellsNothing = parsed.GetValue(exitCode),
                Watches = parsed.GetValue(watch),
                IsAtomic = atomic.Read(parsed, out int? keep),
                Keep = keep,
            };
            if (parsed.GetValue(restore) is { } restored)
            {
                return run.RestoreAsync(restored, stop);
            }

            return run.RunAsync(parsed.GetValue(source)!, parsed.GetValue(target)!, stop);
        }));
        return command;
    }

    private static string? ParseMaxDelete(string text, out (int? Count, double Share)? value)
    {
        value = null;
        bool isShare = text.EndsWith(Percent, StringComparison.Ordinal);
        if (!int.TryParse(isShare ? text[..^1] : text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) || (isShare && number > 100))
        {
            return $"'{text}' is neither a number of files nor a percentage; use 100 or 20%.";
        }

        value = isShare ? (null, number / 100.0) : (number, 1);
        return null;
    }

    private static IEnumerable<string> ReadPatterns(string file)
    {
        try
        {
            return File.ReadAllLines(file);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw TransferCommand.Invalid($"--exclude-from: {exception.Message}");
        }
    }
}
