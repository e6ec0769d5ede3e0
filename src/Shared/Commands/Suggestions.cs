using System.CommandLine;
using System.CommandLine.Completions;
using System.Globalization;

namespace Millrace.Cli;

/// <summary>
/// Answers the completion scripts: <c>millrace "[suggest:POSITION]" "WORDS"</c>, like System.CommandLine's own directive,
/// which only a RootCommand answers.
/// </summary>
internal static class Suggestions
{
    private const string Directive = "[suggest";

    public static bool IsAskedFor(string[] arguments) =>
        arguments is [var first, _] && first.StartsWith(Directive, StringComparison.Ordinal) && first.EndsWith(']');

    public static int Print(Command root, string[] arguments, TextWriter output)
    {
        string line = arguments[1];
        string position = arguments[0][Directive.Length..^1].TrimStart(':');
        int at = int.TryParse(position, NumberStyles.None, CultureInfo.InvariantCulture, out int given)
            ? Math.Min(given, line.Length)
            : line.Length;
        line = line[..at];
        string word = line[(line.LastIndexOfAny([' ', '\t']) + 1)..];

        // "--via=ht" is for the parser one word, which it does not complete.
        int equals = word.StartsWith("--", StringComparison.Ordinal) ? word.IndexOf('=', StringComparison.Ordinal) + 1 : 0;
        string front = word[..equals];
        if (equals > 0)
        {
            line = string.Concat(line.AsSpan(0, line.Length - word.Length), front.AsSpan(0, equals - 1), " ", word.AsSpan(equals));
        }

        foreach (string text in Find(root, line, word[equals..]))
        {
            output.WriteLine(front + text);
        }

        return 0;
    }

    private static IEnumerable<string> Find(Command root, string line, string word)
    {
        try
        {
            return
            [
                .. root.Parse(line).GetCompletions(line.Length)
                    .Select(item => item.InsertText ?? item.Label)
                    .Where(text => text.StartsWith(word, StringComparison.Ordinal) && !IsInTheWay(text, word))
                    .Distinct(StringComparer.Ordinal),
            ];
        }
        catch (InvalidOperationException)
        {
            // The parser's own, for some lines that are not finished: then there is nothing to suggest.
            return [];
        }
    }

    // Options are suggested only after a dash, and the Windows spellings of --help never.
    private static bool IsInTheWay(string text, string word) =>
        text.StartsWith('/') || text == "-?" || (text.StartsWith('-') && !word.StartsWith('-'));
}
