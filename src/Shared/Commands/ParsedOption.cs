using System.CommandLine;
using System.Globalization;

namespace Millrace.Cli;

/// <summary>Options whose text is parsed once, into the value that the command uses.</summary>
internal static class ParsedOption
{
    /// <returns>The problem with the text, for the user; null for none.</returns>
    public delegate string? Parser<T>(string text, out T value);

    public static Option<T> Create<T>(string name, string helpName, string description, Parser<T> parse) => new(name)
    {
        HelpName = helpName,
        Description = description,
        CustomParser = result =>
        {
            if (parse(result.Tokens[0].Value, out T value) is { } problem)
            {
                result.AddError($"{name}: {problem}");
            }

            return value;
        },
    };

    /// <summary>Creates an option that takes a number of things, 1 or more.</summary>
    public static Option<int> Count(string name, string description, int usual)
    {
        Option<int> option = Create<int>(name, "N", description, static (text, out count) =>
            int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out count) && count > 0
                ? null
                : $"'{text}' is not a valid count; use 1 or more.");
        option.DefaultValueFactory = _ => usual;
        return option;
    }

    /// <summary>Creates an option that takes the URL of a server.</summary>
    /// <param name="name">With its hyphens.</param>
    /// <param name="description">For the help.</param>
    /// <param name="example">A URL that is accepted.</param>
    /// <param name="check">Finds other problems with it; returns null for none.</param>
    public static Option<Uri?> Url(string name, string description, string example, Func<Uri, string?> check) =>
        Create<Uri?>(name, "URL", description, (text, out url) => TryParseUrl(text, out url)
            ? check(url!)
            : $"'{text}' is not a valid URL; use a scheme and a host, as in {example}.");

    public static bool TryParseUrl(string text, out Uri? url) =>
        Uri.TryCreate(text, UriKind.Absolute, out url) && url.Scheme is "http" or "https" && url.UserInfo.Length == 0;
}
