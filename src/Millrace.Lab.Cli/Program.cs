using Millrace.Lab.Cli;

ConsoleText.UseUtf8();

if (args is [LabWorker.Argument])
{
    return LabWorker.Run();
}

// As "millrace lab", the documented spelling, which starts this program: help, results and advice all name that one.
Command lab = LabCommand.Create();
lab.Add(new HelpOption());
lab.Add(new VersionOption { Action = new VersionText() });
var root = new Command("millrace") { lab };
if (Suggestions.IsAskedFor(args))
{
    return Suggestions.Print(root, args, Console.Out);
}

ParseResult parsed = root.Parse(["lab", .. args]);
if (args.Length > 0 && UsageError.IsIn(parsed))
{
    UsageError.Print(parsed, Console.Error);
    return ExitCode.CannotStart;
}

// A suite handles Ctrl-C itself; stopping takes as long as the current invocation.
var configuration = new InvocationConfiguration { ProcessTerminationTimeout = null, EnableDefaultExceptionHandler = false };
int exitCode = parsed.Invoke(configuration);
return parsed.Errors.Count > 0 ? ExitCode.CannotStart : exitCode;
