using Millrace.Lab.Advising;
using Millrace.Lab.Published;

namespace Millrace.Lab.Cli;

internal static class AdviseCommand
{
    private const string Name = "advise";
    private const string Description =
        "Recommend a method from results, and test whether published conclusions hold on this machine.";

    private const string Details = """
        Examples:
          millrace lab advise results/latest
          millrace lab advise results/latest --verbose
          millrace lab advise results/latest/results.json --json
          millrace lab advise results/amd/files results/intel/files

        Exit codes:
          0    printed
          1    the results cannot be read
        """;

    public static Command Create()
    {
        var path = new Argument<string[]>("RESULTS")
        {
            Description = "results.json files, the folders that they are in, or folders with one for every suite. For several "
                + "machines, advice that depends on the machine comes first.",
            Arity = ArgumentArity.OneOrMore,
        };
        var verbose = new Option<bool>("--verbose") { Description = "Also print the evidence, lines of C#, and the command that checks each recommendation." };
        var json = new Option<bool>("--json") { Description = "Print JSON: a document for each run." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, Description) { help, path, verbose, json };
        command.SetAction(parsed => Run(parsed.GetValue(path)!, parsed.GetValue(verbose), parsed.GetValue(json)));
        return command;
    }

    private static int Run(string[] paths, bool verbose, bool json)
    {
        ResultsFolder[] read = [.. paths.Select(ResultsFolder.ReadRun)];
        LabResults[] runs = [.. read.SelectMany(folder => folder.Runs).Select(run => run.Results)];
        IReadOnlyList<MachinesSideBySide> suites = MachinesSideBySide.Of(runs);
        Terminal.Print(() =>
        {
            if (json)
            {
                PrintJson(suites, runs);
            }
            else
            {
                PrintText(suites, runs, verbose);
            }
        });
        Terminal.PrintProblems(Name, read.SelectMany(folder => folder.Problems));
        return runs.Length > 0 ? ExitCode.Success : ExitCode.CannotStart;
    }

    private static void PrintJson(IReadOnlyList<MachinesSideBySide> suites, LabResults[] runs)
    {
        if (suites.Count > 0)
        {
            Console.Out.WriteLine(MachinesDocument.ToJson(suites));
        }

        foreach (LabResults results in runs)
        {
            Console.Out.WriteLine(AdviceDocument.ToJson(results));
        }
    }

    private static void PrintText(IReadOnlyList<MachinesSideBySide> suites, LabResults[] runs, bool verbose)
    {
        foreach (MachinesSideBySide suite in suites)
        {
            MachinePrinter.PrintChanges(Terminal.Create(), suite);
        }

        foreach (LabResults results in runs)
        {
            if (suites.Count > 0)
            {
                Console.Out.WriteLine();
                Console.Out.WriteLine($"{results.Suite} on {MachineIdentity.Describe(results.Machine)}");
            }

            IReadOnlyList<Advice> advice = Advisor.Advise(results);
            if (verbose)
            {
                AdviceText.Write(Terminal.Create(), advice, PublishedBeside.Of(results));
            }
            else
            {
                AdviceText.WriteShort(Terminal.Create(), ReportedFinding.Of(results), advice);
            }
        }
    }
}
