using System.Text.RegularExpressions;

namespace Millrace.Lab.Running;

/// <summary>Selects cases by globs, in which * stands for any text and ? for any character, whatever the case.</summary>
internal sealed class CaseFilter
{
    private readonly (Regex Pattern, bool WholeId)[] _globs;

    /// <summary>Takes globs. One with a slash is held against a case's whole name, one without against its method.</summary>
    public CaseFilter(IEnumerable<string> globs) =>
        _globs = [.. globs.Select(glob => (ToRegex(glob), glob.Contains('/', StringComparison.Ordinal)))];

    /// <summary>Whether a case is selected; all are without globs.</summary>
    public bool Selects(string method, string id) =>
        _globs.Length == 0 || _globs.Any(glob => glob.Pattern.IsMatch(glob.WholeId ? id : method));

    private static Regex ToRegex(string glob) => new(
        "^" + Regex.Escape(glob).Replace(@"\*", ".*").Replace(@"\?", ".") + "$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant | RegexOptions.NonBacktracking);
}
