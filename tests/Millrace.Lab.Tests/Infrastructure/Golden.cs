namespace Millrace.Lab.Tests.Infrastructure;

internal static class Golden
{
    /// <summary>Set to 1, to write the files again after an intended change; look at the difference before a commit.</summary>
    private const string UpdateVariable = "MILLRACE_UPDATE_GOLDEN";

    public static void Check(string name, string text)
    {
        string path = Path.Combine(Repository.Root, "tests", "Millrace.Lab.Tests", "Golden", name);
        text = text.ReplaceLineEndings("\n");
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            File.WriteAllText(path, text);
        }

        Assert.Equal(File.ReadAllText(path).ReplaceLineEndings("\n").TrimEnd(), text.TrimEnd());
    }
}
