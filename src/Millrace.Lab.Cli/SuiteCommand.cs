namespace Millrace.Lab.Cli;

/// <summary>`millrace lab SUITE`, for any suite, `millrace lab all` and `millrace lab null SUITE`.</summary>
internal static class SuiteCommand
{
    private const string Details = """
        Writes results.json, report.html and report.md, and prints a one-sentence finding, advice and tables. Earlier results in
        the same folder are moved to a folder in it that is named by their time. Keep the machine otherwise idle. Ctrl-C stops after the current invocation and keeps the results; a second Ctrl-C ends at once.

        Exit codes:
          0    measured
          1    could not start: wrong arguments or something missing; nothing was measured
          2    measured, but a stated target was missed (with --fail-under only)
          3    at least one case failed; the others were measured and written
          130  stopped by Ctrl-C; what was measured was written, if anything was
        """;

    private const string NullDetails = """
        Measures every method twice in the same rounds and compares it with itself. The difference is noise, the smallest
        effect that this machine can show. `lab compare --null` uses it.

        Exit codes: as those of `millrace lab SUITE`.
        """;

    public static Command Create(Suite suite) => Create(
        suite.Name,
        $"Measure {suite.Description}.",
        Details + Environment.NewLine + Examples(suite),
        [suite],
        separateFolders: false);

    public static Command CreateAll() => Create(
        "all",
        "Run all suites one after the other; each writes to its own folder.",
        Details,
        SuiteCatalog.All,
        separateFolders: true);

    /// <summary>`millrace lab null SUITE`: which differences are noise on this machine.</summary>
    public static Command CreateNull()
    {
        var command = new Command("null", "Measure every method against itself to find the noise of this machine.");
        foreach (Suite suite in SuiteCatalog.All)
        {
            command.Add(Create(
                suite.Name,
                $"Measure every method of \"{suite.Name}\" against itself.",
                NullDetails,
                [suite],
                separateFolders: false,
                againstItself: true));
        }

        return command;
    }

    private static Command Create(
        string name,
        string description,
        string details,
        IReadOnlyList<Suite> suites,
        bool separateFolders,
        bool againstItself = false)
    {
        var options = new SuiteOptions(againstItself ? "results/null" : LabOptions.DefaultOutputFolder);
        var failUnder = new Option<bool>("--fail-under")
        {
            Description = "Show the targets of the suite, and exit with code 2 when one is missed, for use in CI.",
        };
        HelpOption help = HelpWithDetails.Create(details);
        var command = new Command(name, description) { help, failUnder };
        options.AddTo(command, usesBucket: suites.Any(suite => suite.UsesBucket));
        command.SetAction(parsed => SuiteRunner.Run(
            suites, options.Read(parsed) with { AgainstItself = againstItself }, separateFolders, parsed.GetValue(failUnder), options.Waits(parsed)));
        return command;
    }

    private static string Bucket(Suite suite) => suite.UsesBucket ? " --bucket s3://my-bucket/lab" : "";

    private static string Examples(Suite suite) => $"""

        Examples:
          millrace lab {suite.Name}{Bucket(suite)}
          millrace lab {suite.Name}{Bucket(suite)} --full --out results/full
          millrace lab {suite.Name}{Bucket(suite)} {string.Join(' ', suite.ExampleFilters.Select(filter => $"--filter \"{filter}\""))}
        """;
}
