using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Lab.Suites;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab SUITE`, for any suite, and `millrace lab all`.</summary>
internal static class SuiteCommand
{
    private const string Details = """
        Writes results.json, report.html and report.md, prints tables, aims and one sentence of finding. Keep the machine
        otherwise idle. Ctrl-C ends after the current invocation and keeps what was measured; a second Ctrl-C ends at once.

        Exit codes:
          0    measured
          1    could not start: wrong arguments or something missing; nothing was measured
          2    measured, but a stated aim was missed (with --fail-under only)
          3    at least one case failed; the others were measured and written
          130  stopped by Ctrl-C; what was measured was written
        """;

    public static Command Create(Suite suite) => Create(
        suite.Name,
        $"Measure {suite.Description}.",
        Details + Environment.NewLine + Examples(suite),
        [suite],
        foldersOfTheirOwn: false);

    public static Command CreateAll() => Create(
        "all",
        "Run every suite, one after the other. The results of each go into a folder of its own.",
        Details,
        SuiteCatalog.All,
        foldersOfTheirOwn: true);

    public static Option<bool> FailUnder() => new("--fail-under")
    {
        Description = "End with exit code 2 when a stated aim is missed, for use in a CI.",
    };

    private static Command Create(
        string name, string description, string details, IReadOnlyList<Suite> suites, bool foldersOfTheirOwn)
    {
        var options = new SuiteOptions(LabOptions.DefaultOutputFolder);
        Option<bool> failUnder = FailUnder();
        HelpOption help = HelpWithDetails.Create(details);
        var command = new Command(name, description) { help, failUnder };
        options.AddTo(command, withFile: true);
        command.SetAction(parsed => SuiteRunner.Run(
            suites, options.Read(parsed), foldersOfTheirOwn, parsed.GetValue(failUnder)));
        return command;
    }

    private static string Examples(Suite suite) => $"""

        Examples:
          millrace lab {suite.Name}
          millrace lab {suite.Name} --full --out results/full
          millrace lab {suite.Name} {string.Join(' ', suite.ExampleFilters.Select(filter => $"--filter \"{filter}\""))}
        """;
}
