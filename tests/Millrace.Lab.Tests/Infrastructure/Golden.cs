using System.Text;

namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>Compares whole texts with the files in the folder Golden.</summary>
/// <remarks>
/// After an intended change run the tests with MILLRACE_UPDATE_GOLDEN=1, which writes the files again, and look at the difference
/// before you commit it. Under CI the variable makes the tests fail.
/// </remarks>
internal static class Golden
{
    private const string UpdateVariable = "MILLRACE_UPDATE_GOLDEN";

    public static void Check(string name, string text)
    {
        string path = Path.Combine(Repository.Root, "tests", "Millrace.Lab.Tests", "Golden", name);
        text = text.ReplaceLineEndings("\n");
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            Assert.True(Environment.GetEnvironmentVariable("CI") is not { Length: > 0 }, $"{UpdateVariable} is for developers, not for CI.");
            File.WriteAllText(path, text);
        }

        Assert.Equal(File.ReadAllText(path).ReplaceLineEndings("\n").TrimEnd(), text.TrimEnd());
    }

    /// <summary>Compares the advice of several situations, each under a title that states the expectation.</summary>
    public static void Check(string name, params (string Title, Advice[] Advice)[] situations)
    {
        var text = new StringBuilder();
        foreach ((string title, Advice[] advice) in situations)
        {
            text.Append(CultureInfo.InvariantCulture, $"## {title}\n\n").Append(advice.Length == 0 ? "No advice.\n\n" : "");
            foreach (Advice item in advice)
            {
                text.Append(CultureInfo.InvariantCulture, $"{item.Kind}, {item.Topic}: {item.Title}\n");
                text.Append(item.Claim is { } claim ? $"{claim.Reason}\n" : "");
                text.AppendJoin("", item.EvidenceTexts.Select(evidence => $"- {evidence}\n"));
                text.Append(CultureInfo.InvariantCulture, $"-> {item.Action}\n");
                text.Append(item.Code is { } code ? $"   {string.Join(' ', code.Split('\n', StringSplitOptions.TrimEntries))}\n" : "");
                text.Append(CultureInfo.InvariantCulture, $"again: {item.Check}\n\n");
            }
        }

        Check(name, text.ToString());
    }
}
