using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli.Token;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Link;

/// <summary>`millrace link`.</summary>
internal static class LinkCommand
{
    private const string Details = """
        A link allows one thing (to download, or with --put to upload) with one file, to whoever has it, until its time is
        over. It cannot be taken back alone: --revoke-all makes all links invalid that were made before.

        Examples:
          millrace link 2026/may.csv --for 1h --url https://files.example.org
          curl -T may.csv "$(millrace link inbox/may.csv --put --for 2d --folder /srv/files)"

        Exit codes:
          0    done
          1    not done; the error output says why
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var name = new Argument<string?>("NAME")
        {
            Description = "The file's name in the served folder, for example 2026/may.csv.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var lifetime = new Option<string>("--for")
        {
            Description = $"How long it is valid: {LifetimeArgument.Examples}.",
            HelpName = "TIME",
            DefaultValueFactory = _ => "1h",
        };
        var put = new Option<bool>("--put") { Description = "A link to upload the file, or to replace it, with PUT." };
        var url = new Option<string>("--url")
        {
            Description = "How others reach the server; with a path when its files are not below /files/.",
            HelpName = "URL",
            DefaultValueFactory = _ => $"http://{TransferHostOptions.DefaultHost}:{TransferHostOptions.DefaultPort}",
        };
        var revoke = new Option<bool>("--revoke-all") { Description = "Make all links invalid that were made before." };
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Print the link as one JSON line." };
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("link", "Make a link to one file of a served folder, for whoever has no token.")
        {
            help, name, lifetime, put, url, revoke, json,
        };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("link", async (parsed, stop) =>
        {
            TokenStore tokens = location.Open(parsed);
            string? given = parsed.GetValue(name);
            if (parsed.GetValue(revoke))
            {
                await tokens.RevokeLinksAsync(stop).ConfigureAwait(false);
                if (given is null)
                {
                    return ExitCode.Success;
                }
            }

            if (given is null)
            {
                throw TokenAction.Wrong("Name the file that the link is for, or use --revoke-all.");
            }

            if (!LifetimeArgument.TryParse(parsed.GetValue(lifetime), out TimeSpan time) || time == TimeSpan.Zero)
            {
                throw TokenAction.Wrong($"--for '{parsed.GetValue(lifetime)}' is no time. Write {LifetimeArgument.Examples}.");
            }

            LinkLine line = Make(
                await tokens.GetLinkKeyAsync(stop).ConfigureAwait(false),
                TransferName.Parse(given),
                parsed.GetValue(put) ? "PUT" : "GET",
                DateTimeOffset.UtcNow + time,
                LinkBase.Parse(parsed.GetValue(url)!));
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
