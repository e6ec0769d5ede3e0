using System.CommandLine;
using System.CommandLine.Help;
using Microsoft.Win32.SafeHandles;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace put`.</summary>
internal static class PutCommand
{
    private const string Details = """
        URL names the file or, if it ends with a slash, the folder that the files and folders go into. A file appears on the
        server when it is complete and verified there. The command retries after an interruption; after a crash, the same
        command resumes.

        A signed link of 'millrace link --put', in quotes, takes one file and needs no token. It allows one plain PUT, which
        cannot be resumed: an interrupted upload starts over.

        Files of a folder that the server has already, with the same length and date or the same SHA-256, are not sent again. A
        file keeps the date of its last change.

        Examples:
          millrace put trips.csv http://host:8080/files/2026/may.csv
          millrace put photos notes.txt http://host:8080/files/
          pg_dump shop | millrace put --create-new - http://host:8080/files/backup/shop.sql
          millrace put may.csv "$LINK"

        Exit codes:
          0    everything is on the server
          1    could not start, or at least one file failed (named on the error output); the others are there
          4    everything is on the server but what was left out of folders, named on the error output with the reason: names
               that the server does not take, links to folders, and what is no file
          130  stopped by Ctrl-C; the same command resumes
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: true);
        Argument<string[]> paths = RemoteNames.Argument<string[]>(
            set, "FILE... URL", "Files and folders, or - for standard input, and their destination.", new ArgumentArity(2, TransferCommand.MaxPaths));
        var createNew = new CreateNewOption("Fail if the name is taken, also if another client takes it meanwhile.", "--new");
        Option<string?> ifMatch = ConditionOptions.IfMatch();
        ifMatch.Validators.Add(result =>
        {
            if (createNew.IsGiven(result))
            {
                result.AddError("--create-new and --if-match exclude each other.");
            }
        });
        var present = new PresentOptionSet();
        var noContinue = new Option<bool>("--no-continue")
        {
            Description = "Start over instead of resuming an interrupted run.",
        };
        var atomic = new AtomicOptionSet();
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("put", "Upload files to a server, verified and completely or not at all.")
        {
            help, paths, ifMatch, noContinue,
        };
        createNew.AddTo(command);
        present.AddTo(command);
        atomic.AddTo(command);
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(paths)!;
            if (atomic.Read(parsed, out int? keep))
            {
                return TransferCommand.Run(
                    "put", set, parsed, given[^1], (settings, stop) => PublishAsync(given, present.Read(parsed), keep, settings, stop));
            }

            return TransferCommand.Run("put", set, parsed, given[^1], (settings, stop) => RunAsync(
                given[..^1],
                TransferTarget.ParseWithLink(given[^1]),
                new PutOptions
                {
                    Precondition = ConditionOptions.Read(createNew.Read(parsed), parsed.GetValue(ifMatch)),
                    Resume = !parsed.GetValue(noContinue),
                    NoTimes = present.Read(parsed).NoTimes,
                    Permissions = present.Read(parsed).Permissions,
                },
                present.Read(parsed),
                settings,
                stop));
        });
        return command;
    }

    /// <summary>A folder as a whole: a sync of it alone, which removes nothing.</summary>
    private static Task<int> PublishAsync(
        string[] given, PresentOptions present, int? keep, TransferSettings settings, CancellationToken stop)
    {
        if (given is not [var folder, var url] || !Directory.Exists(folder) || !url.EndsWith('/'))
        {
            throw TransferCommand.Invalid("--atomic publishes one folder in a folder of the server: name a folder, and a URL with a final slash.");
        }

        var options = new SyncOptions { BySha256 = present.BySha256, NoTimes = present.NoTimes, Permissions = present.Permissions, SymbolicLinks = present.Links };
        return new SyncRun(options, settings) { IsAtomic = true, Keep = keep }
            .RunAsync(folder, url + Uri.EscapeDataString(Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder)))) + "/", stop);
    }

    private static async Task<int> RunAsync(
        string[] sources, TransferTarget given, PutOptions options, PresentOptions present, TransferSettings settings,
        CancellationToken stop)
    {
        // A mistake in the command itself is reported before the server is asked.
        PutPlan.Make(sources, given, present.Links);
        using var session = new TransferSession(settings.Client);
        (TransferTarget target, TransferClient client) = await session.OpenAsync(given, stop).ConfigureAwait(false);
        List<TransferItem> items = PutPlan.Make(sources, target, present.Links);

        // A condition on a name is to fail where it is not met, also for a file that is the same.
        bool mayBePresent = !present.All && options.Precondition.IsNone && given.Link is null;
        if (mayBePresent)
        {
            items = await PutPlan.WithRemoteAsync(items, sources, target, client, present.Links, stop).ConfigureAwait(false);
        }

        // A signed link allows one plain PUT, which cannot be resumed.
        options = options with { Resume = options.Resume && given.Link is null };
        if (items.Count == 0)
        {
            throw new TransferException(
                TransferError.NotFound, "Nothing to upload; the server keeps no empty folders.");
        }

        return await TransferBatch.RunAsync(
            new TransferJob
            {
                Command = "put",
                Verb = "Put",
                NameReason = "with names that the server does not take",
                Settings = settings,
                Items = items,
                Output = Console.Out,
                Describe = item => $"{item.Shown} to {item.Url}",
                SmallAtOnce = () => client.SmallFilesAtOnce,
                Continues = options.Resume && sources is not [TransferItem.Standard],
                IsPresent = async (item, cancellationToken) => item.LinkTarget is not null || item.Remote!.LinkTarget is not null
                    ? item.LinkTarget == item.Remote!.LinkTarget
                    : await PresentFile.FindSameAsync(client, item.Path, item.Remote!, present, cancellationToken).ConfigureAwait(false) is not null,
                Move = (item, progress, cancellationToken) => PutAsync(client, options, item, progress, cancellationToken),
            },
            stop).ConfigureAwait(false);
    }

    private static async Task<TransferResult> PutAsync(
        TransferClient client,
        PutOptions options,
        TransferItem item,
        IProgress<TransferProgress> progress,
        CancellationToken cancellationToken)
    {
        if (item.LinkTarget is { } target)
        {
            await client.PutSymbolicLinkAsync(item.Name, target, options.Precondition, cancellationToken).ConfigureAwait(false);
            return new TransferResult(item.Name, 0, null, null, default, 0, 1);
        }

        if (item.Remote is { LinkTarget: not null, Tag: { } tag })
        {
            // A file is not written through it.
            await client.DeleteSymbolicLinkAsync(item.Name, new WritePrecondition { Match = [tag] }, cancellationToken).ConfigureAwait(false);
        }

        if (item.Bytes is not null)
        {
            return await client.PutAsync(item.Path, item.Name, options, progress, cancellationToken).ConfigureAwait(false);
        }

        // The content cannot be read a second time, so a later run could not resume it.
        options = options with { Resume = false };
        Stream content = item.Path == TransferItem.Standard ? OpenStandardInput() : OpenPipe(item.Path);
        await using (content.ConfigureAwait(false))
        {
            return await client.PutAsync(content, item.Name, options, progress, cancellationToken).ConfigureAwait(false);
        }
    }

    // Not the console's stream on Unix: this one knows its length and can seek when the shell opened a file.
    private static Stream OpenStandardInput() => OperatingSystem.IsWindows()
        ? Console.OpenStandardInput()
        : new FileStream(new SafeFileHandle(0, ownsHandle: false), FileAccess.Read, bufferSize: 0);

    private static FileStream OpenPipe(string path) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
}
