namespace Millrace.Samples.Tests;

/// <summary>What holds for every sample.</summary>
public sealed class AllSamplesTests
{
    private const int MaxLines = 60;

    private static readonly string Root = FindRoot();

    public static TheoryData<string> Names() =>
        [.. Directory.GetDirectories(Path.Combine(Root, "samples")).Where(folder => File.Exists(Path.Combine(folder, "Program.cs"))).Select(folder => Path.GetFileName(folder)!)];

    [Theory, MemberData(nameof(Names))]
    public async Task A_sample_without_arguments_says_how_to_use_it(string name)
    {
        (int exitCode, string output, string error) = await Sample.RunAsync(name);

        Assert.Equal(1, exitCode);
        Assert.Empty(output);
        Assert.StartsWith($"Usage: {name} ", error, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Names))]
    public void A_sample_is_short_in_the_solution_and_in_the_list(string name)
    {
        string[] lines = File.ReadAllLines(Path.Combine(Root, "samples", name, "Program.cs"));

        Assert.InRange(lines.Count(IsCode), 1, MaxLines);
        Assert.Contains(
            $"samples/{name}/{name}.csproj", File.ReadAllText(Path.Combine(Root, "Millrace.slnx")), StringComparison.Ordinal);
        Assert.Contains(
            $"[{name}]({name}/Program.cs)", File.ReadAllText(Path.Combine(Root, "samples", "README.md")), StringComparison.Ordinal);
    }

    private static bool IsCode(string line) => line.Length > 0 && !line.TrimStart().StartsWith("//", StringComparison.Ordinal);

    private static string FindRoot()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Millrace.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("The tests must run inside the repository.");
    }
}
