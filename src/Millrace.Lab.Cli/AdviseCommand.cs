using Millrace.Lab.Advising;
using Millrace.Lab.Published;

namespace Millrace.Lab.Cli;

internal static class AdviseCommand
{
    private const string Name = "advise";
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
        var path = new Argument<string>("RESULTS");
        path.Description = "A results.json, the folder that it is in, or a folder with one for every suite.";
        var json = new Option<bool>("--json") { Description = "Print it as JSON." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, Description) { help, path, json };
        command.SetAction(parsed => Run(parsed.GetValue(path)!, parsed.GetValue(json)));
        return command;
    }

    private static int Run(string path, bool json)
    {
        ResultsFolder read = ResultsFolder.ReadRun(path);
        foreach (LabResults results in read.Runs.Select(run => run.Results))
        {
            Terminal.Print(() =>
            {
                if (json)
                {
                    Console.Out.WriteLine(AdviceDocument.ToJson(results));
                }
                else
                {
                    AdviceText.Write(Terminal.Create(), Advisor.Advise(results), PublishedBeside.Of(results));
                }
            });
        }

        Terminal.PrintProblems(Name, read.Problems);
        return read.Runs.Count > 0 ? ExitCode.Success : ExitCode.CannotStart;
    }
}
