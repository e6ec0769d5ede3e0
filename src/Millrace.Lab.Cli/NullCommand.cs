namespace Millrace.Lab.Cli;

/// <summary>`millrace lab null SUITE`: what this machine cannot tell apart.</summary>
internal static class NullCommand
{
    private const string OutputFolder = "results/null";

    private const string Details = """
        Measures every method twice in the same rounds and compares it with itself. The difference is noise, the smallest
        effect that this machine can show. `lab compare --null` uses it.

        Exit codes: as those of `millrace lab SUITE`.
        """;

    public static Command Create()
    {
        var command = new Command("null", "Measure every method against itself to find the noise of this machine.");
        foreach (Suite suite in SuiteCatalog.All)
        {
            command.Subcommands.Add(Create(suite));
        }

        return command;
    }

    private static Command Create(Suite suite)
    {
        var options = new SuiteOptions(OutputFolder);
        HelpOption help = HelpWithDetails.Create(Details);
        Option<bool> failUnder = SuiteCommand.FailUnder();
        var command = new Command(suite.Name, $"Measure every method of \"{suite.Name}\" against itself.") { help, failUnder };
        options.AddTo(command, withFile: true);
        command.SetAction(parsed => SuiteRunner.Run(
            [suite], options.Read(parsed) with { AgainstItself = true }, separateFolders: false, parsed.GetValue(failUnder)));
        return command;
    }
}
