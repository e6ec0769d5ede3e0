using System.Collections;
using System.CommandLine;
using System.CommandLine.Parsing;

namespace Millrace.Cli;

/// <summary>
/// The environment variables of `millrace serve`: <c>MILLRACE_MAX_FILE</c> for <c>--max-file</c> and so on, for each option that there is. A
/// variable counts as its option, unless the command line has that. Secrets are in files that options name, so no variable has one.
/// </summary>
internal static class ServeEnvironment
{
    private const string Prefix = "MILLRACE_";
    private const string FolderVariable = Prefix + "FOLDER";

    /// <summary>Variables with other readers: the libraries, the clients, the service's unit, and the tests of this repository.</summary>
    internal static readonly HashSet<string> OfOthers = new(StringComparer.OrdinalIgnoreCase)
    {
        "MILLRACE_MISSING", "MILLRACE_PORTABLE", "MILLRACE_NO_MAPPING", "MILLRACE_NO_IO_URING", "MILLRACE_BLOCK_BYTES",
        TokenSource.Variable, "MILLRACE_OPTIONS",
        "MILLRACE_STORE", "MILLRACE_COMMAND", "MILLRACE_CHROMIUM", "MILLRACE_FUZZ_SEED", "MILLRACE_FUZZ_SECONDS", "MILLRACE_MEASURE", "MILLRACE_SEED",
        "MILLRACE_SOAK", "MILLRACE_TIER", "MILLRACE_UPDATE_GOLDEN",
    };

    private const string TestPrefix = Prefix + "TEST_";

    /// <summary>Parses a command line again, with the variables in it.</summary>
    /// <param name="root">The command of the program.</param>
    /// <param name="arguments">Beginning with <c>serve</c>.</param>
    /// <param name="parsed">The result without the variables.</param>
    /// <param name="warnings">Gets unknown variables, and those that errors are about.</param>
    /// <exception cref="Millrace.Transfer.TransferException">The variable of a flag is neither true nor false.</exception>
    public static ParseResult Apply(Command root, string[] arguments, ParseResult parsed, TextWriter warnings)
    {
        Command serve = parsed.CommandResult.Command;
        var added = new List<string>();
        var used = new List<Option>();
        var known = new List<string> { FolderVariable };
        foreach (Option option in serve.Options.Where(static option => option.Name != "--help"))
        {
            string variable = NameOf(option);
            known.Add(variable);
            if (Environment.GetEnvironmentVariable(variable) is { Length: > 0 } value && parsed.GetResult(option) is not { Implicit: false })
            {
                used.Add(option);
                added.AddRange(ArgumentsOf(option, value));
            }
        }

        Warn(known, warnings);
        bool hasFolder = parsed.GetResult(serve.Arguments[0]) is { Tokens.Count: > 0 };
        string? folder = hasFolder ? null : Environment.GetEnvironmentVariable(FolderVariable);
        if (added.Count == 0 && string.IsNullOrEmpty(folder))
        {
            return parsed;
        }

        // Directly after the command's name: arguments after "--" are not options.
        ParseResult again = root.Parse([arguments[0], .. added, .. arguments[1..], .. string.IsNullOrEmpty(folder) ? (string[])[] : [folder]]);
        foreach (Option option in used.Where(option => again.Errors.Any(error => error.Message.Contains(option.Name, StringComparison.Ordinal))))
        {
            warnings.WriteLine($"millrace serve: {option.Name} comes from the environment variable {NameOf(option)}.");
        }

        return again;
    }

    public static string NameOf(Option option) => Prefix + option.Name.TrimStart('-').Replace('-', '_').ToUpperInvariant();

    private static IEnumerable<string> ArgumentsOf(Option option, string value) =>
        option.Arity.MaximumNumberOfValues > 1
            ? value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).Select(one => $"{option.Name}={one}")
            : [$"{option.Name}={(option.ValueType == typeof(bool) ? Flag(NameOf(option), value) : value)}"];

    private static string Flag(string variable, string value) => value.ToUpperInvariant() switch
    {
        "1" or "TRUE" or "YES" or "ON" => "true",
        "0" or "FALSE" or "NO" or "OFF" => "false",
        _ => throw TransferCommand.Invalid($"{variable}: '{value}' is neither true nor false."),
    };

    private static void Warn(List<string> known, TextWriter warnings)
    {
        foreach (DictionaryEntry entry in Environment.GetEnvironmentVariables())
        {
            string name = (string)entry.Key;
            if (name.StartsWith(Prefix, StringComparison.Ordinal) && !name.StartsWith(TestPrefix, StringComparison.Ordinal) && !OfOthers.Contains(name) && !known.Contains(name))
            {
                string meant = UsageError.Closest(name, known) is { } closest ? $" Did you mean {closest}?" : "";
                warnings.WriteLine($"millrace serve: warning: the environment variable {name} is unknown and has no effect.{meant}");
            }
        }
    }
}
