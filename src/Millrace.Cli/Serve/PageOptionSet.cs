using System.CommandLine;
using System.CommandLine.Parsing;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about web pages: names of the server, and origins whose pages may use it.</summary>
internal sealed class PageOptionSet
{
    private const string AllOrigins = "*";
    private const string PublicExample = "https://files.example.org";

    private readonly Option<string[]> _hostNames = new("--host-name")
    {
        Description = "Answer for this name without a token too, such as files.example.org or *.example.org; can be repeated.",
        HelpName = "NAME",
    };

    private readonly Option<string[]> _origins = new("--cors")
    {
        Description = "Allow web pages of this origin, such as https://app.example.org, or * for all; can be repeated.",
        HelpName = "ORIGIN",
    };

    private readonly Option<Uri?> _publicUrl = ParsedOption.Url(
        "--public-url", "Accept web pages from this URL as the server's own: its address in front of a reverse proxy.", PublicExample, CheckPublicUrl);

    public PageOptionSet()
    {
        _hostNames.Validators.Add(CheckHostNames);
        _origins.Validators.Add(CheckOrigins);
    }

    public void AddTo(Command command) => command.Add(_hostNames, _origins, _publicUrl);

    public IReadOnlyList<string> HostNames(ParseResult parsed) => parsed.GetValue(_hostNames) ?? [];

    public IReadOnlyList<string> Origins(ParseResult parsed) => parsed.GetValue(_origins) ?? [];

    public Uri? PublicUrl(ParseResult parsed) => parsed.GetValue(_publicUrl);

    private static void CheckHostNames(OptionResult result)
    {
        foreach (string text in result.Tokens.Select(token => token.Value))
        {
            string name = text.StartsWith("*.", StringComparison.Ordinal) ? text[2..] : text;
            if (Uri.CheckHostName(name) != UriHostNameType.Dns)
            {
                result.AddError(
                    $"--host-name: '{text}' is not a valid host name; use a name without scheme and port, as in files.example.org, or *.example.org for all below it.");
            }
        }
    }

    private static void CheckOrigins(OptionResult result)
    {
        foreach (string text in result.Tokens.Select(token => token.Value))
        {
            if (text != AllOrigins && !IsOrigin(text))
            {
                result.AddError(
                    $"--cors: '{text}' is not a valid origin; use a scheme, a host and an optional port, as in https://app.example.org, or * for all.");
            }
        }

        if (result.Tokens.Count > 1 && result.Tokens.Any(token => token.Value == AllOrigins))
        {
            result.AddError("--cors '*' allows all origins; leave the others out.");
        }
    }

    // What browsers send is compared as it is, so a slash at the end or a capital letter would never match.
    private static bool IsOrigin(string text) =>
        ParsedOption.TryParseUrl(text, out Uri? origin) && text == origin!.GetLeftPart(UriPartial.Authority);

    private static string? CheckPublicUrl(Uri url) =>
        url.Query.Length > 0 || url.Fragment.Length > 0 ? $"'{url.OriginalString}' is not a valid URL; use a scheme and a host, as in {PublicExample}."
        : url.AbsolutePath != "/" ? $"leave out the path '{url.AbsolutePath}'; --path-base names one below which the server is, or a proxy of --trusted-proxy sends it as X-Forwarded-Prefix."
        : null;
}
