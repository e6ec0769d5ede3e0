using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Interop;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace get`.</summary>
internal static class GetCommand
{
    private const string None = "none";
    private const string Commit = "commit";
    private const string Details = """
        A file gets its name here when it is complete and verified; until then a file of that name stays as it is. A URL that
        ends with a slash is a folder: all its files are downloaded, into a folder of its name or into FILE. The command
        retries after an interruption; after a crash, the same command resumes. Files of a folder that are here already, with
        the same length and date or the same SHA-256, are not downloaded again. A file keeps the date of its last change. A signed link of 'millrace link' needs no
        token; put it in quotes.

        Examples:
          millrace get http://host:8080/files/2026/may.csv
          millrace get http://host:8080/files/photos/ ~/photos
          millrace get http://host:8080/files/backup/shop.sql - | psql shop
          millrace get "$LINK"

        Exit codes:
          0    everything is here
          1    could not start, or at least one file failed (named on the error output); the others are here
          4    everything is here but what was left out: entries that the server does not list, and names that this system
               cannot have (on Windows, a:b.png); the error output says how many or which, and why
          130  stopped by Ctrl-C; the same command resumes
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: true);
        Argument<string> url = RemoteNames.Argument<string>(
            set, "URL", "A file, a folder (ending with a slash), or a signed link in quotes.");
        var file = new Argument<string?>("FILE")
        {
            Description = "The local name, a folder, or - for standard output (default: the name on the server).",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var createNew = new CreateNewOption("Fail if the name is taken here.", "--new");
        var present = new PresentOptionSet();
        var noContinue = new Option<bool>("--no-continue")
        {
            Description = "Start over instead of resuming an interrupted run.",
        };
        var repair = new Option<bool>("--repair")
        {
            Description = "Compare the files that are here with the server's, block by block, and fetch only what differs.",
        };
        var redirects = new Option<bool>("--follow-redirects")
        {
            Description = "Download from the server's bucket itself, where the server allows it (serve --s3-redirect).",
        };
        Option<long?> maxFile = SizeArgument.Option("--max-file", "Refuse a file with more bytes than this.");
        var durability = new Option<string>("--durability")
        {
            Description = "Finish a file when it is on the device (commit) or in the system's memory (none).",
            HelpName = $"{None}|{Commit}",
            DefaultValueFactory = _ => Commit,
        };
        durability.AcceptOnlyFromAmong(None, Commit);
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("get", "Download files from a server, verified and completely or not at all.")
        {
            help, url, file, repair, noContinue, redirects, maxFile, durability,
        };
        createNew.AddTo(command);
        present.AddTo(command);
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("get", set, parsed, given, (settings, stop) =>
            {
                settings.Client.FollowRedirects = parsed.GetValue(redirects);
                settings.Client.Durability = parsed.GetValue(durability) == None ? Durability.None : Durability.OnCommit;
                return RunAsync(
                    TransferTarget.ParseWithLink(given),
                    parsed.GetValue(file),
                    new GetOptions
                    {
                        CreateNew = createNew.Read(parsed),
                        Resume = !parsed.GetValue(noContinue),
                        MaxBytes = parsed.GetValue(maxFile),
                        NoTimes = present.Read(parsed).NoTimes,
                        Permissions = present.Read(parsed).Permissions,
                        Repair = parsed.GetValue(repair),
                    },
                    present.Read(parsed) is var read && parsed.GetValue(repair) ? read with { All = true } : read,
                    settings,
                    stop);
            });
        });
        return command;
    }

    private static async Task<int> RunAsync(
        TransferTarget given, string? file, GetOptions options, PresentOptions present, TransferSettings settings,
        CancellationToken stop)
    {
        string destination = GetPlan.DestinationOf(given, file);
        bool toStandardOutput = destination == TransferItem.Standard;
        using var session = new TransferSession(settings.Client);
        (TransferTarget target, TransferClient client) = await session.OpenAsync(given, stop).ConfigureAwait(false);
        OmittedEntries omitted = default;
        List<TransferItem> items = target.IsFolder
            ? await GetPlan.ListAsync(client, target, destination, count => omitted += count, stop, links: present.Links).ConfigureAwait(false)
            : [new TransferItem(destination, target.Name, target.UrlOf(target.Name), Bytes: null)];
        int listed = TransferCommand.PrintOmitted(
            "get", settings.Json, target.UrlOf(target.Name, folder: true), omitted, "not downloaded");
        if (items.Count == 0)
        {
            return omitted.Total > 0 ? listed : throw new TransferException(
                TransferError.NotFound, $"There is no file in {target.UrlOf(target.Name, folder: true)}.", target.Name.Value);
        }

        LocalFolder? local = target.IsFolder ? new LocalFolder(destination) : null;
        int moved = await TransferBatch.RunAsync(
            new TransferJob
            {
                Command = "get",
                Verb = "Got",
                NameReason = "with names that Windows cannot have",
                Settings = settings,
                Items = items,
                Output = toStandardOutput ? Console.Error : Console.Out,
                Describe = item => $"{item.Url} to {item.Shown}",
                Continues = options.Resume && !toStandardOutput,
                SmallAtOnce = static () => FileTurns.Most,
                Receives = true,
                IsPresent = present.All || options.CreateNew || local is null ? null : (item, cancellationToken) =>
                    IsPresentAsync(client, options, present, item, target.Name, local, cancellationToken),
                Move = (item, progress, cancellationToken) =>
                    GetAsync(client, options, present, item, target.Name, local, progress, cancellationToken),
            },
            stop).ConfigureAwait(false);
        return moved == ExitCode.Success ? listed : moved;
    }

    private static async ValueTask<bool> IsPresentAsync(
        TransferClient client, GetOptions options, PresentOptions present, TransferItem item, TransferName folder, LocalFolder local,
        CancellationToken cancellationToken)
    {
        FolderItem here = local.ItemOf(item.Name, folder);
        if (present.Links && here.Fault is null && SymbolicLink.Read(here.Path) is var link && (link is not null || item.LinkTarget is not null))
        {
            return link == item.LinkTarget;
        }

        if (here.Fault is not null || !File.Exists(here.Path))
        {
            return false;
        }

        // The target of a link out of the folder is neither read nor dated.
        local.Prepare(here.Path, item.Name);
        if (await PresentFile.FindSameAsync(client, here.Path, item.Remote!, present, cancellationToken).ConfigureAwait(false)
            is not { } time)
        {
            return false;
        }

        if (!options.NoTimes && !LocalTime.Agree(time, LocalTime.Of(here.Path)))
        {
            LocalTime.Set(here.Path, time);
        }

        return true;
    }

    private static async Task<TransferResult> GetAsync(
        TransferClient client,
        GetOptions options,
        PresentOptions present,
        TransferItem item,
        TransferName folder,
        LocalFolder? local,
        IProgress<TransferProgress> progress,
        CancellationToken cancellationToken)
    {
        if (item.Path != TransferItem.Standard)
        {
            string path = item.Path;
            if (local is not null)
            {
                FolderItem here = local.ItemOf(item.Name, folder);
                here.ThrowIfUnusable();
                path = here.Path;
                if (item.LinkTarget is { } target)
                {
                    local.CreateLink(path, item.Name, target, replace: !options.CreateNew);
                    return new TransferResult(item.Name, 0, null, null, default, 0, 1);
                }

                if (present.Links)
                {
                    local.PrepareWithoutLinks(path, item.Name, replace: !options.CreateNew);
                }
                else
                {
                    local.Prepare(path, item.Name);
                }
            }

            return await client.GetAsync(item.Name, path, options with { Length = item.Bytes }, progress, cancellationToken).ConfigureAwait(false);
        }

        Stream output = Console.OpenStandardOutput();
        await using (output.ConfigureAwait(false))
        {
            return await client
                .GetAsync(item.Name, output, options with { Resume = false, CreateNew = false }, progress, cancellationToken)
                .ConfigureAwait(false);
        }
    }
}

/// <summary>Finds out what there is to download, and where it goes.</summary>
internal static class GetPlan
{
    public static string DestinationOf(TransferTarget target, string? destination)
    {
        if (target.IsFolder)
        {
            return FolderOf(target, destination);
        }

        string name = target.Name.FileName;
        if (destination is null)
        {
            return NameHere(target);
        }

        if (destination == TransferItem.Standard)
        {
            return destination;
        }

        if (Directory.Exists(destination))
        {
            return Path.Combine(destination, NameHere(target));
        }

        return Path.EndsInDirectorySeparator(destination)
            ? throw Wrong($"The destination folder '{destination}' for {name} does not exist. Create it first.")
            : destination;
    }

    public static async Task<List<TransferItem>> ListAsync(
        TransferClient client, TransferTarget target, string destination, Action<OmittedEntries> omitted, CancellationToken cancellationToken,
        bool? isWindows = null, bool links = false)
    {
        var items = new List<TransferItem>();
        await foreach (RemoteEntry entry in client
            .ListAsync(new ListOptions { Folder = target.Name, Recursive = true, SymbolicLinks = links, Omitted = omitted }, cancellationToken).ConfigureAwait(false))
        {
            if (!entry.IsFolder && entry.Name.IsIn(target.Name))
            {
                TransferName below = LocalFolder.Below(entry.Name, target.Name);
                items.Add(new TransferItem(
                    Path.Combine(destination, below.Value), entry.Name, target.UrlOf(entry.Name), entry.Length)
                {
                    IsFound = true,
                    LinkTarget = entry.LinkTarget,
                    Remote = entry,
                    Refused = LocalFolder.Refuse(below, isWindows ?? OperatingSystem.IsWindows()),
                });
            }
        }

        return items;
    }

    /// <summary>The last part of a name, if that can be the name of something here.</summary>
    private static string NameHere(TransferTarget target) =>
        LocalFolder.Refuse(TransferName.Parse(target.Name.FileName), OperatingSystem.IsWindows()) is null
            ? target.Name.FileName
            : throw Wrong($"'{target.Name.FileName}' is no name on Windows. Give another one: millrace get {target.Text} NAME");

    private static string FolderOf(TransferTarget target, string? destination)
    {
        if (destination == TransferItem.Standard)
        {
            throw Wrong($"{target.Text} is a folder, and standard output takes one file. Give the URL of a file, without a final slash.");
        }

        if (destination is null && target.Name.IsRoot)
        {
            throw Wrong($"{target.Text} is the server's root. Name a destination folder, for example: millrace get {target.Text} all");
        }

        string folder = destination ?? NameHere(target);
        return File.Exists(folder)
            ? throw Wrong($"'{folder}' is a file, and {target.Text} is a folder. Name a destination folder.")
            : folder;
    }

    private static TransferException Wrong(string message) => new(TransferError.InvalidRequest, message);
}
