using System.CommandLine;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What must be under a name that is written or deleted: <c>--new</c> and <c>--if-match</c>.</summary>
internal static class ConditionOptions
{
    /// <summary>Nothing may be there.</summary>
    public static Option<bool> New(string description) => new("--new") { Description = description };

    /// <summary>A version must be there.</summary>
    public static Option<string?> IfMatch()
    {
        var option = new Option<string?>("--if-match")
        {
            Description = "Only while the server's file has this tag, as 'millrace ls --long' prints it; * for any.",
            HelpName = "TAG",
        };
        option.Validators.Add(result =>
        {
            string tag = Unquoted(result.GetValueOrDefault<string>() ?? "");
            if (tag.Length == 0 || tag.Any(c => c is <= ' ' or '"' or > '~'))
            {
                result.AddError("--if-match takes a tag of printable ASCII, with its quotes or without.");
            }
        });
        return option;
    }

    /// <summary>Both together.</summary>
    public static WritePrecondition Read(bool mustNotExist, string? tag) => tag switch
    {
        null => new WritePrecondition { CreateNew = mustNotExist },
        "*" => new WritePrecondition { MustExist = true },
        _ => new WritePrecondition { Match = [new EntityTag(Unquoted(tag))] },
    };

    // A shell has mostly taken the quotes away.
    private static string Unquoted(string tag) => tag.Length >= 2 && tag[0] == '"' && tag[^1] == '"' ? tag[1..^1] : tag;
}
