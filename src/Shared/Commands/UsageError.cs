using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;

namespace Millrace.Cli;

/// <summary>Prints the errors of a command line in a few lines: they stay on the screen, and --help has the rest.</summary>
internal static class UsageError
{
    // Two adjacent letters in the wrong order are two changes.
    private const int MaxChanges = 2;
    private const int MinLength = 3;

    /// <summary>Whether the command line has an error.</summary>
    public static bool IsIn(ParseResult parsed) =>
        parsed.Errors.Count > 0 || (parsed.Action is not (HelpAction or HelpWithDetails or VersionText) && UnknownOf(parsed) is not null);

    /// <summary>Prints the errors, the usage line, and how to read more.</summary>
    public static void Print(ParseResult parsed, TextWriter output)
    {
        CommandResult result = parsed.CommandResult;
        string name = PathOf(result);
        foreach (string message in MessagesOf(parsed, result))
        {
            output.WriteLine($"{name}: {message}");
        }

        if (UsageOf(name, parsed.RootCommandResult.Command) is { } usage)
        {
            output.WriteLine($"Usage: {usage}");
        }

        output.WriteLine($"See '{name} --help'.");
    }

    /// <summary>The name that a mistyped one was meant to be; null if none is close.</summary>
    public static string? Closest(string typed, IEnumerable<string> names) => typed.Length < MinLength ? null : names
        .Select(name => (Name: name, Changes: ChangesBetween(typed, name)))
        .Where(one => one.Changes <= MaxChanges && one.Changes * 2 < one.Name.Length)
        .OrderBy(one => one.Changes)
        .Select(one => one.Name)
        .FirstOrDefault();

    private static IEnumerable<string> MessagesOf(ParseResult parsed, CommandResult result)
    {
        // The parser writes some messages in several lines. What follows an unknown word is mostly a consequence of it.
        if (UnknownOf(parsed) is { } word)
        {
            bool isOption = word.StartsWith('-') && word.Length > 1;
            string typed = isOption ? word.Split('=')[0] : word;
            Command command = result.Command;
            string? meant = Closest(typed, isOption ? command.Options.Select(static option => option.Name) : command.Subcommands.Select(static sub => sub.Name));
            string problem = isOption ? "is not an option of this command."
                : command.Subcommands.Count > 0 ? "is not a command."
                : "is one argument too many.";
            return [$"'{typed}' {problem}{(meant is null ? "" : $" Did you mean {meant}?")}"];
        }

        return parsed.Errors.Select(static error => string.Join(' ', error.Message.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)))
            .Distinct(StringComparer.Ordinal);
    }

    /// <summary>The first word that the command does not know. The parser takes an unknown option for an argument where one may stand.</summary>
    private static string? UnknownOf(ParseResult parsed) =>
        parsed.Tokens.All(static token => token.Type != TokenType.DoubleDash)
        && parsed.CommandResult.Children.OfType<ArgumentResult>().SelectMany(static argument => argument.Tokens)
            .FirstOrDefault(static token => token.Value is ['-', not (>= '0' and <= '9'), ..]) is { } taken ? taken.Value
        : parsed.UnmatchedTokens is [var first, ..] ? first
        : null;

    private static string PathOf(CommandResult result) =>
        result.Parent is CommandResult parent ? $"{PathOf(parent)} {result.Command.Name}" : result.Command.Name;

    /// <summary>The line of the help that shows how the command is called.</summary>
    private static string? UsageOf(string name, Command root)
    {
        using var help = new StringWriter();
        root.Parse([.. name.Split(' ')[1..], "--help"])
            .Invoke(new InvocationConfiguration { Output = help, Error = help, EnableDefaultExceptionHandler = false });
        return help.ToString().Split('\n').Select(static line => line.Trim()).FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
    }

    // Levenshtein's distance.
    private static int ChangesBetween(string a, string b)
    {
        int[] row = [.. Enumerable.Range(0, b.Length + 1)];
        for (int i = 0; i < a.Length; i++)
        {
            int diagonal = row[0]++;
            for (int j = 0; j < b.Length; j++)
            {
                int change = Math.Min(Math.Min(row[j], row[j + 1]) + 1, diagonal + (a[i] == b[j] ? 0 : 1));
                diagonal = row[j + 1];
                row[j + 1] = change;
            }
        }

        return row[^1];
    }
}
