using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace mv`.</summary>
internal static class MoveCommand
{
    private const string Details = """
        Files and folders move within one server, in one step and without being sent.

        Examples:
          millrace mv http://host:8080/files/may.csv http://host:8080/files/2026/may.csv
          millrace mv http://host:8080/files/photos http://host:8080/files/pictures
          millrace mv http://host:8080/files/a.csv http://host:8080/files/b.csv http://host:8080/files/2026/

        Exit codes:
          0    everything was moved
          1    could not start, or at least one was not moved (named on the error output)
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string[]> urls = RemoteNames.Argument<string[]>(
            set, "URL... TARGET", "Files or folders, and the new name, or with a slash at its end the folder into which they go.",
            new ArgumentArity(2, TransferCommand.MaxPaths));
        var replace = new Option<bool>("--replace") { Description = "Replace a file that has the new name." };
        var hidden = new Option<bool>("--hidden") { Description = "Move files that the server hides with the folder that they are in." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("mv", "Move or rename files and folders on a server.") { help, urls, replace, hidden };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(urls)!;
            return TransferCommand.Run("mv", set, parsed, given[0], (settings, stop) => RunAsync(
                [.. given.Select(TransferTarget.Parse)],
                new MoveOptions { Replace = parsed.GetValue(replace), IncludeHidden = parsed.GetValue(hidden) },
                settings,
                stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(TransferTarget[] given, MoveOptions options, TransferSettings settings, CancellationToken stop)
    {
        foreach (TransferTarget one in given[..^1])
        {
            if (one.Server != given[^1].Server)
            {
                throw TransferCommand.Invalid($"{one.Text} and {given[^1].Text} are on different servers; use 'millrace get' and 'millrace put'.");
            }
        }

        using var session = new TransferSession(settings.Client);
        (TransferTarget target, _) = await session.OpenAsync(given[^1], stop).ConfigureAwait(false);
        if (given.Length > 2 && !target.IsFolder)
        {
            throw TransferCommand.Invalid($"{target.Text} is no folder into which several files could go; put a slash at its end.");
        }

        int exitCode = ExitCode.Success;
        foreach (TransferTarget one in given[..^1])
        {
            (TransferTarget source, TransferClient client) = await session.OpenAsync(one, stop).ConfigureAwait(false);
            string url = source.UrlOf(source.Name);
            try
            {
                if (source.Name.IsRoot)
                {
                    throw TransferCommand.Invalid($"{source.Text} is the whole server; name a file or a folder in it.");
                }

                TransferName to = target.IsFolder ? target.Name.Append(source.Name.FileName) : target.Name;
                await client.MoveAsync(source.Name, to, options, stop).ConfigureAwait(false);
                settings.Print(new MoveLine(url, source.Name.Value, target.UrlOf(to)), $"Moved {url} to {target.UrlOf(to)}.");
            }
            catch (TransferException exception)
            {
                exitCode = ExitCode.TransferFailed;
                TransferCommand.PrintError("mv", settings.Json, url, exception);
            }
        }

        return exitCode;
    }
}

/// <summary>A file or folder that was moved; a line of `millrace mv --json`.</summary>
internal sealed record MoveLine(string Url, string Name, string To);
