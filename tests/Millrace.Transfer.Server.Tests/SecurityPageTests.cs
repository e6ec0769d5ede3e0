using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests;

/// <summary>Every test that docs/security.md names exists.</summary>
public sealed partial class SecurityPageTests
{
    [Fact]
    public async Task Every_promise_names_a_test_that_exists()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs/security.md"));
        string[] sources =
        [
            .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "tests"), "*Tests.cs", SearchOption.AllDirectories)
                .Select(File.ReadAllText),
        ];
        string[] promises = [.. Promise().Matches(page).Select(row => row.Groups["tests"].Value)];
        Assert.NotEmpty(promises);
        Assert.All(promises, tests => Assert.NotEmpty(Test().Matches(tests)));
        Assert.All(
            Test().Matches(page),
            test => Assert.Contains(
                sources,
                source => source.Contains($" class {test.Groups["class"].Value}", StringComparison.Ordinal)
                    && source.Contains($" {test.Groups["method"].Value}(", StringComparison.Ordinal)));
    }

    [GeneratedRegex("`(?<class>[A-Za-z0-9]+Tests)\\.(?<method>\\w+)`")]
    private static partial Regex Test();

    // A row of a table with two columns; the others have three.
    [GeneratedRegex(@"^\| (?!promise|who |-)[^|]+ \| (?<tests>[^|]+) \|$", RegexOptions.Multiline)]
    private static partial Regex Promise();
}
