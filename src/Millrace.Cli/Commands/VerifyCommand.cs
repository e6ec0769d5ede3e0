using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace verify`.</summary>
internal static class VerifyCommand
{
    private const string Details = """
        Compares files here with those on a server, block by block, and moves only the sums of the blocks. Both sides read their
        files, so that damage on either disk shows. Prints each file that differs or is missing here; 'millrace get --repair'
        with the same arguments fetches what differs. Files that only exist here are not looked at.

        Examples:
          millrace verify http://host:8080/files/photos/ ~/photos
          millrace verify http://host:8080/files/backup/shop.sql

        Exit codes:
          0    everything is the same
          1    could not start, or at least one file differs, is missing or could not be compared
          4    everything is the same but what was left out: entries that the server does not list, and names that this system
               cannot have
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string> url = RemoteNames.Argument<string>(set, "URL", "A file, or a folder (ending with a slash).");
        var file = new Argument<string?>("FILE")
        {
            Description = "The local file or folder (default: the name on the server).",
            Arity = ArgumentArity.ZeroOrOne,
        };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("verify", "Compare files with those on a server, and move nothing.") { help, url, file };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("verify", set, parsed, given, (settings, stop) => RunAsync(
                TransferTarget.Parse(given), parsed.GetValue(file), settings, stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(TransferTarget target, string? file, TransferSettings settings, CancellationToken stop)
    {
        string here = GetPlan.DestinationOf(target, file);
        if (here == TransferItem.Standard)
        {
            throw TransferCommand.Invalid("Standard output has nothing to compare with. Name a file or a folder.");
        }

        using var session = new TransferSession(settings.Client);
        (target, TransferClient client) = await session.OpenAsync(target, stop).ConfigureAwait(false);
        OmittedEntries omitted = default;
        List<TransferItem> items = target.IsFolder
            ? await GetPlan.ListAsync(client, target, here, count => omitted += count, stop).ConfigureAwait(false)
            : [new TransferItem(here, target.Name, target.UrlOf(target.Name), Bytes: null)];
        int exitCode = TransferCommand.PrintOmitted(
            "verify", settings.Json, target.UrlOf(target.Name, folder: true), omitted, "not compared");
        LocalFolder? local = target.IsFolder ? new LocalFolder(here) : null;
        int same = 0;
        int different = 0;
        long bytes = 0;
        foreach (TransferItem item in items)
        {
            VerifyLine line = await CompareAsync(client, item, target.Name, local, stop).ConfigureAwait(false);
            bytes += line.Length ?? 0;
            same += line.State == VerifyLine.Same ? 1 : 0;
            different += line.State is VerifyLine.Same or VerifyLine.LeftOut ? 0 : 1;
            exitCode = line.State == VerifyLine.LeftOut && exitCode == ExitCode.Success ? ExitCode.LeftOut : exitCode;
            if (settings.Json)
            {
                TransferCommand.WriteLine(Console.Out, line.ToJson());
            }
            else if (line.State != VerifyLine.Same)
            {
                TransferCommand.WriteLine(line.Message is null ? Console.Out : Console.Error, line.ToText());
            }
        }

        if (!settings.Json && !settings.Quiet)
        {
            TransferCommand.WriteLine(
                Console.Out, $"{items.Count} {(items.Count == 1 ? "file" : "files")}, {SizeText.Of(bytes)}: {same} the same, {different} not");
        }

        return different > 0 ? ExitCode.TransferFailed : exitCode;
    }

    private static async Task<VerifyLine> CompareAsync(
        TransferClient client, TransferItem item, TransferName folder, LocalFolder? local, CancellationToken stop)
    {
        var line = new VerifyLine { File = item.Path, Url = item.Url, Name = item.Name.Value, State = VerifyLine.Missing };
        try
        {
            if (item.Refused is not null)
            {
                return line with { State = VerifyLine.LeftOut, Message = TransferFailure.Describe(item.Refused) };
            }

            string path = item.Path;
            if (local is not null)
            {
                FolderItem here = local.ItemOf(item.Name, folder);
                here.ThrowIfUnusable();
                path = here.Path;
            }

            if (!File.Exists(path))
            {
                return line with { Length = item.Remote?.Length };
            }

            VerifyResult result = await client.VerifyAsync(item.Name, path, stop).ConfigureAwait(false);
            return line with
            {
                State = result.IsSame ? VerifyLine.Same : VerifyLine.Differs,
                Length = result.Length,
                LocalLength = result.LocalLength,
                Different = result.DifferentBytes,
            };
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception) && !stop.IsCancellationRequested)
        {
            return line with { State = VerifyLine.Failed, Message = TransferFailure.Describe(exception) };
        }
    }
}

/// <summary>A file that was compared; a line of `millrace verify --json`.</summary>
internal sealed record VerifyLine
{
    public const string Same = "same";
    public const string Differs = "differs";
    public const string Missing = "missing";
    public const string LeftOut = "left-out";
    public const string Failed = "failed";

    public required string File { get; init; }
    public required string Url { get; init; }
    public required string Name { get; init; }
    public required string State { get; init; }
    public long? Length { get; init; }
    public long? LocalLength { get; init; }
    public long? Different { get; init; }
    public string? Message { get; init; }

    public string ToJson() => CommandJson.ToLine(this);

    public string ToText()
    {
        string file = PrintableText.Clean(File);
        return State switch
        {
            Missing => $"missing: {file}",
            Differs when Length == LocalLength => $"differs: {file}, in {SizeText.Of(Different ?? 0)} of {SizeText.Of(Length ?? 0)}",
            Differs => $"differs: {file}, {LocalLength} bytes here and {Length} there",
            _ => $"millrace verify: {file}: {Message}",
        };
    }
}
