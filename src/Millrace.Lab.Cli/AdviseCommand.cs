using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Lab.Advising;
using Millrace.Lab.Published;
using Millrace.Lab.Results;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>`millrace lab advise`.</summary>
internal static class AdviseCommand
{
    private const string Description =
        "Recommend a method from results, with evidence, an action and the command that checks it; and test whether published conclusions hold here.";

    private const string Details = """
        Examples:
          millrace lab advise results/latest
          millrace lab advise results/latest/results.json --json

        Exit codes:
          0    printed
          1    the results cannot be read
        """;

    public static Command Create()
    {
        var path = new Argument<string>("RESULTS") { Description = "A results.json, the folder that it is in, or a folder with one for every suite." };
        var json = new Option<bool>("--json") { Description = "Print it as JSON." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("advise", Description) { help, path, json };
        command.SetAction(parsed => Run(parsed.GetValue(path)!, parsed.GetValue(json)));
        return command;
    }

    private static int Run(string path, bool json)
    {
        try
        {
            ResultsFolder read = ResultsFolder.ReadRun(path);
            foreach (StoredRun run in read.Runs)
            {
                Print(run.Results, json);
            }

            foreach (string problem in read.Problems)
            {
                Console.Error.WriteLine($"millrace lab advise: {problem}");
            }

            return read.Runs.Count > 0 ? ExitCode.Success : ExitCode.CannotStart;
        }
        catch (Exception exception) when (exception is LabException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"millrace lab advise: {exception.Message}");
            return ExitCode.CannotStart;
        }
    }

    private static void Print(LabResults results, bool json)
    {
        try
        {
            if (json)
            {
                Console.Out.WriteLine(AdviceDocument.ToJson(results));
                return;
            }

            IAnsiConsole console = Terminal.Create();
            AdviceText.Write(console, Advisor.Advise(results), PublishedBeside.Of(results));
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`.
        }
    }
}
