using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using System.Text.Json.Serialization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace ls`.</summary>
internal static class ListCommand
{
    private const string Details = """
        Folders end with a slash, like their URLs. Times are local. Control characters, and marks that change the direction of
        text, are shown as U+FFFD; --json prints names exactly.

        Examples:
          millrace ls http://host:8080/files/
          millrace ls -r --long http://host:8080/files/2026/
          millrace ls -r --json http://host:8080/files/ | jq -r 'select(.length > 1e9) | .url'

        Exit codes:
          0    listed
          1    wrong arguments, no such file or folder, or the server refused; the error output says why
          4    listed but what the server leaves out; the error output says how many entries, and why
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string> url = RemoteNames.Argument<string>(set, "URL", "A folder, or a file.");
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "List the files of subfolders too, and no folders.",
        };
        var longer = new Option<bool>("--long", "-l") { Description = "Print size, time and tag too." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("ls", "List files and folders on a server.") { help, url, recursive, longer };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("ls", set, parsed, given, (settings, stop) => RunAsync(
                TransferTarget.Parse(given), parsed.GetValue(recursive), parsed.GetValue(longer), settings, stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(
        TransferTarget target, bool recursive, bool longer, TransferSettings settings, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        (target, TransferClient client) = await session.OpenAsync(target, stop).ConfigureAwait(false);
        bool any = false;
        OmittedEntries omitted = default;
        try
        {
            await foreach (RemoteEntry entry in client.ListAsync(target.Name, recursive, count => omitted += count, stop).ConfigureAwait(false))
            {
                any = true;
                if (!Print(entry, target.Name))
                {
                    break;
                }
            }
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound && !target.IsFolder)
        {
            // Not a folder; a file has no slash either.
        }

        if (!any && omitted.Total == 0 && !target.IsFolder)
        {
            StoredFile file = await client.FindAsync(target.Name, stop).ConfigureAwait(false) ?? throw new TransferException(
                TransferError.NotFound, $"There is no file and no folder {target.UrlOf(target.Name)}.", target.Name.Value);
            Print(
                new RemoteEntry(file.Name, IsFolder: false, file.Length, file.Modified, file.Tag, file.Sha256), file.Name.Folder);
        }

        return TransferCommand.PrintOmitted("ls", settings.Json, target.UrlOf(target.Name, folder: true), omitted, "not listed");

        // Stops when the reader is gone, as in `millrace ls … | head`.
        bool Print(RemoteEntry entry, TransferName folder)
        {
            string line = settings.Json ? ListLine.Of(entry, target).ToJson()
                : longer ? ListText.Long(entry, folder)
                : ListText.NameOf(entry, folder);
            try
            {
                Console.Out.WriteLine(line);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }
}

/// <summary>A file or folder; a line of `millrace ls --json`.</summary>
internal sealed record ListLine
{
    public required string Name { get; init; }
    public required string Kind { get; init; }
    public required string Url { get; init; }
    public long? Length { get; init; }
    [JsonConverter(typeof(FileTimeConverter))]
    public FileTime? Modified { get; init; }
    public string? Etag { get; init; }
    public string? Sha256 { get; init; }

    public static ListLine Of(RemoteEntry entry, TransferTarget target) => new()
    {
        Name = entry.Name.Value,
        Kind = entry.IsFolder ? "folder" : "file",
        Url = target.UrlOf(entry.Name, entry.IsFolder),
        Length = entry.Length,
        Modified = entry.Modified,
        Etag = entry.Tag?.ToString(),
        Sha256 = entry.Sha256?.ToString(),
    };

    public string ToJson() => CommandJson.ToLine(this);
}

/// <summary>Entries of a listing for a person.</summary>
internal static class ListText
{
    public static string NameOf(RemoteEntry entry, TransferName folder)
    {
        string name = !folder.IsRoot && entry.Name != folder && entry.Name.IsIn(folder)
            ? entry.Name.Value[(folder.Value.Length + 1)..]
            : entry.Name.Value;
        name = PrintableText.Clean(name);
        return entry.IsFolder ? name + "/" : name;
    }

    /// <summary>For example <c>1.2 GiB  2026-05-02 17:03  "6f1c…"  may.csv</c>, the time that of this machine.</summary>
    public static string Long(RemoteEntry entry, TransferName folder)
    {
        string size = entry.Length is { } length ? SizeText.Of(length) : "";
        string time = entry.Modified is { } modified
            ? modified.ToDateTimeOffset().ToLocalTime().ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)
            : "";
        string tag = PrintableText.Clean(entry.Tag?.ToString() ?? "");
        return $"{size,9}  {time,16}  {tag,-24}  {NameOf(entry, folder)}";
    }
}
