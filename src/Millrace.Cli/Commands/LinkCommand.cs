using System.CommandLine;
using System.CommandLine.Help;
using System.Runtime.CompilerServices;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>`millrace link`.</summary>
internal static class LinkCommand
{
    private const string Details = """
        A link to a file lets anyone who has it download that one file, or upload it with --put, until the link expires.

        A link to a folder (NAME/, or / for everything) lets anyone list it and download from it, as an archive too, or with --drop
        put new files into it without seeing what is there. It can have a password and limits, and is listed with --list and
        revoked with --revoke ID. --revoke-all invalidates all links that exist.

        Examples:
          millrace link 2026/may.csv --for 1h --url https://files.example.org
          curl -T may.csv "$(millrace link inbox/may.csv --put --for 2d --folder /srv/files)"
          millrace link photos/ --for 7d --max-uses 20 --password-file password.txt
          millrace link inbox/ --drop --for 30d --max-bytes 10GiB --ask-name

        Exit codes:
          0    done
          1    not done; the error output says why
        """;

    public static Command Create()
    {
        var name = new Argument<string?>("NAME")
        {
            Description = "The file in the served folder, for example 2026/may.csv, or with a slash at the end a folder in it.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var lifetime = new Option<string?>("--for")
        {
            Description = $"Let the link expire after this time: {DurationArgument.Examples} (default: 1h, of a folder 7d).",
            HelpName = "TIME",
        };
        var put = new Option<bool>("--put") { Description = "Allow to upload or replace the file with PUT." };
        var url = new Option<string>("--url")
        {
            Description = "Build the link for this server; give a path if its files are not below /files/.",
            HelpName = "URL",
            DefaultValueFactory = _ => "http://127.0.0.1:8080",
        };
        var folders = new FolderLinkOptionSet();
        var revoke = new Option<bool>("--revoke-all") { Description = "Invalidate all links that exist." };
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Print the link, or with --list each of them, as one JSON line." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("link", "Create, list and revoke links to files and folders of a served folder, for users without a token.")
        {
            help, name, lifetime, put,
        };
        folders.AddTo(command, name, put);
        command.Add(url, revoke, json);
        location.AddTo(command);
        command.SetAction(TokenAction.Of("link", async (parsed, stop) =>
        {
            OpenTokens opened = await location.OpenAsync(parsed, stop).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable _ = opened.ConfigureAwait(false);
            TokenStore tokens = opened.Store;
            string? given = parsed.GetValue(name);
            if (folders.IsList(parsed) || folders.Revoked(parsed) is not null)
            {
                using LinkDocuments kept = location.OpenDocuments(parsed);
                return await folders.ManageAsync(parsed, new FolderLinks(kept.Store, tokens), parsed.GetValue(json), stop).ConfigureAwait(false);
            }

            if (parsed.GetValue(revoke))
            {
                await tokens.RevokeLinksAsync(stop).ConfigureAwait(false);
                await opened.SaveAsync(stop).ConfigureAwait(false);
                if (given is null)
                {
                    return ExitCode.Success;
                }
            }

            if (given is null)
            {
                throw TransferCommand.Invalid("Name the file or folder to link to, or use --list, --revoke ID or --revoke-all.");
            }

            bool isFolder = given.EndsWith('/');
            string lasting = parsed.GetValue(lifetime) ?? (isFolder ? "7d" : "1h");
            if (!DurationArgument.TryParse(lasting, out TimeSpan time) || time == TimeSpan.Zero)
            {
                throw TransferCommand.Invalid($"--for: {DurationArgument.Problem(lasting)}");
            }

            string files = LinkBase.Parse(parsed.GetValue(url)!);
            LinkLine line;
            if (isFolder)
            {
                location.ThrowIfNoFolder(parsed, given);

                // Its key has to be where the server finds it before the link is.
                await tokens.GetLinkKeyAsync(stop).ConfigureAwait(false);
                await opened.SaveAsync(stop).ConfigureAwait(false);
                using LinkDocuments kept = location.OpenDocuments(parsed);
                line = await folders.MakeAsync(parsed, new FolderLinks(kept.Store, tokens), given, time, files, stop).ConfigureAwait(false);
            }
            else
            {
                folders.ThrowIfUsed(parsed);
                line = Make(
                    await tokens.GetLinkKeyAsync(stop).ConfigureAwait(false),
                    TransferName.Parse(given),
                    parsed.GetValue(put) ? "PUT" : "GET",
                    DateTimeOffset.UtcNow + time,
                    files);
                await opened.SaveAsync(stop).ConfigureAwait(false);
            }

            Console.Out.WriteLine(parsed.GetValue(json) ? line.ToJson() : line.Url);
            return ExitCode.Success;
        }));
        return command;
    }

    private static LinkLine Make(LinkKey key, TransferName name, string method, DateTimeOffset expires, string files)
    {
        string query = SignedLink.CreateQuery(key, method, name, expires);
        return new LinkLine($"{files}{name.ToEncoded()}?{query}", method, name.Value, expires);
    }
}

/// <summary>The URL of a server's files, from the server address that the user gave.</summary>
internal static class LinkBase
{
    private const string Files = "/files/";

    public static string Parse(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || (url.Scheme != Uri.UriSchemeHttp && url.Scheme != Uri.UriSchemeHttps)
            || url.Query.Length > 0
            || url.Fragment.Length > 0)
        {
            throw TransferCommand.Invalid($"--url: '{text}' is not a valid server address; use http://host:8080.");
        }

        string path = url.AbsolutePath == "/" ? Files : url.AbsolutePath.TrimEnd('/') + "/";
        return url.GetLeftPart(UriPartial.Authority) + path;
    }
}

/// <summary>A link as JSON.</summary>
internal sealed record LinkLine(string Url, string Method, string Name, DateTimeOffset Expires, string? Id = null)
{
    public string ToJson() => CommandJson.ToLine(this);
}
