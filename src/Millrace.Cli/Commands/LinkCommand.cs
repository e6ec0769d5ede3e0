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
        A link lets anyone who has it download one file, or upload it with --put, until the link expires. A single link cannot
        be revoked: --revoke-all invalidates all links that exist.

        Examples:
          millrace link 2026/may.csv --for 1h --url https://files.example.org
          curl -T may.csv "$(millrace link inbox/may.csv --put --for 2d --folder /srv/files)"

        Exit codes:
          0    done
          1    not done; the error output says why
        """;

    public static Command Create()
    {
        var name = new Argument<string?>("NAME")
        {
            Description = "The file in the served folder, for example 2026/may.csv.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var lifetime = new Option<string>("--for")
        {
            Description = $"Let the link expire after this time: {DurationArgument.Examples}.",
            HelpName = "TIME",
            DefaultValueFactory = _ => "1h",
        };
        var put = new Option<bool>("--put") { Description = "Allow to upload or replace the file with PUT." };
        var url = new Option<string>("--url")
        {
            Description = "Build the link for this server; give a path if its files are not below /files/.",
            HelpName = "URL",
            DefaultValueFactory = _ => "http://127.0.0.1:8080",
        };
        var revoke = new Option<bool>("--revoke-all") { Description = "Invalidate all links that exist." };
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Print the link as one JSON line." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("link", "Create a link to one file of a served folder, for users without a token.")
        {
            help, name, lifetime, put, url, revoke, json,
        };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("link", async (parsed, stop) =>
        {
            OpenTokens opened = await location.OpenAsync(parsed, stop).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable _ = opened.ConfigureAwait(false);
            TokenStore tokens = opened.Store;
            string? given = parsed.GetValue(name);
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
                throw TransferCommand.Invalid("Name the file to link to, or use --revoke-all.");
            }

            if (!DurationArgument.TryParse(parsed.GetValue(lifetime), out TimeSpan time) || time == TimeSpan.Zero)
            {
                throw TransferCommand.Invalid($"--for: {DurationArgument.Problem(parsed.GetValue(lifetime))}");
            }

            LinkLine line = Make(
                await tokens.GetLinkKeyAsync(stop).ConfigureAwait(false),
                TransferName.Parse(given),
                parsed.GetValue(put) ? "PUT" : "GET",
                DateTimeOffset.UtcNow + time,
                LinkBase.Parse(parsed.GetValue(url)!));
            await opened.SaveAsync(stop).ConfigureAwait(false);
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

/// <summary>A signed link as JSON.</summary>
internal sealed record LinkLine(string Url, string Method, string Name, DateTimeOffset Expires)
{
    public string ToJson() => CommandJson.ToLine(this);
}
