using System.Globalization;
using System.Text.RegularExpressions;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>CHANGELOG.md: the source of a release's notes.</summary>
public sealed partial class ChangelogTests
{
    private static readonly string Text = File.ReadAllText(Path.Combine(Repository.Root, "CHANGELOG.md"));

    [NeedsFact(Need.Wine, "has no git")]
    public void Changelog_has_a_section_for_the_newest_version_and_working_links() =>
        Assert.Empty(ProblemsOf(Text, NewestTag()));

    [Theory]
    [InlineData("## 0.2.0 - 2026-12-01\n\n## Unreleased\n", null, "Unreleased")]
    [InlineData("## 0.1.0 - 2026-11-01\n\n## 0.2.0 - 2026-12-01\n", null, "0.2.0")]
    [InlineData("## 0.2.0\n", null, "0.2.0")]
    [InlineData("## 0.2.0 - 2026-13-01\n", null, "0.2.0")]
    [InlineData("## Unreleased\n\n## 0.2.0 - 2026-12-01\n", "v0.3.0", "v0.3.0")]
    [InlineData("## Unreleased\n\nSee [this](docs/no-such-page.md).\n", null, "no-such-page")]
    [InlineData("## Unreleased\n\nSee [this](http//x).\n", null, "http//x")]
    public void Problem_of_a_changelog_is_found(string text, string? tag, string named) =>
        Assert.Contains(named, Assert.Single(ProblemsOf(text, tag)), StringComparison.Ordinal);

    private static List<string> ProblemsOf(string text, string? tag)
    {
        var problems = new List<string>();
        Version? last = null;
        bool first = true;
        foreach (Match heading in Heading().Matches(text))
        {
            string title = heading.Groups["title"].Value;
            Match release = Release().Match(title);
            bool isDated = DateOnly.TryParseExact(release.Groups["date"].Value, "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None, out _);
            if (!(title == "Unreleased" ? first : isDated && (last is null || Version.Parse(release.Groups["version"].Value) < last)))
            {
                problems.Add($"'## {title}' is not 'Unreleased' at the top or 'VERSION - YYYY-MM-DD' below a newer version.");
            }

            last = isDated ? Version.Parse(release.Groups["version"].Value) : last;
            first = false;
        }

        if (tag is not null && !Regex.IsMatch(text, $@"^## {Regex.Escape(tag[1..])} - ", RegexOptions.Multiline))
        {
            problems.Add($"The tag {tag} has no section.");
        }

        problems.AddRange(
            from Match link in Link().Matches(text)
            let target = link.Groups["target"].Value
            where !(target.StartsWith("https://", StringComparison.Ordinal)
                ? Uri.IsWellFormedUriString(target, UriKind.Absolute)
                : Path.Exists(Path.Combine(Repository.Root, target.Split('#')[0])))
            select $"{target} leads nowhere.");
        return problems;
    }

    // Null in a checkout without releases or without tags, as CI's is.
    private static string? NewestTag() => Path.Exists(Path.Combine(Repository.Root, ".git"))
        ? Shell.Run("git", "-C", Repository.Root, "tag", "--list", "v[0-9]*", "--sort=-version:refname", "--merged", "HEAD")
            .Split('\n').FirstOrDefault(tag => Regex.IsMatch(tag, @"^v\d+\.\d+\.\d+$"))
        : null;

    [GeneratedRegex(@"^## (?<title>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"^(?<version>\d+\.\d+\.\d+) - (?<date>\S+)$")]
    private static partial Regex Release();

    [GeneratedRegex(@"\[[^\]]+\]\((?<target>[^)]+)\)")]
    private static partial Regex Link();
}
