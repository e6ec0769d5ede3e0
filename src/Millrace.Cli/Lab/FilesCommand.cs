using System.Buffers;
using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Lab;

namespace Millrace.Cli.Lab;

/// <summary>`millrace lab files`.</summary>
internal static class FilesCommand
{
    private const string Description =
        "Measure every way to read a file: FileStream, pipes, mappings and Millrace's file pipes.";

    private const string Details = """
        Writes results.json, report.html and report.md, prints tables, aims and one sentence of finding. Keep the machine otherwise
        idle. Ctrl-C ends after the current invocation and keeps what was measured; a second Ctrl-C ends at once.

        Examples:
          millrace lab files
          millrace lab files --file big.log --out results/big
          millrace lab files --filter "FilePipe*" --filter "FileStreamSync*"

        Exit codes:
          0    measured
          1    could not start: wrong arguments or something missing; nothing was measured
          3    at least one case failed; the others were measured and written
          130  stopped by Ctrl-C; what was measured was written
        """;

    private static readonly SearchValues<char> NeedQuotes = SearchValues.Create(" \t\"'*?$;&|<>()[]");

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var quick = new Option<bool>("--quick") { Description = "What answers the main questions, up to 3 minutes (the default)." };
        var full = new Option<bool>("--full")
        {
            Description = "Every method, buffer, option, file and state of the cache; takes about an hour and 1 GiB of disk.",
        };
        var file = new Option<string?>("--file")
        {
            Description = "Measure this file instead of generated ones. It is only read.",
            HelpName = "PATH",
        };
        var output = new Option<string>("--out")
        {
            Description = "Where results.json, report.html and report.md go.",
            HelpName = "DIR",
            DefaultValueFactory = _ => LabOptions.DefaultOutputFolder,
        };
        var filter = new Option<string[]>("--filter")
        {
            Description = "Only these methods (\"FilePipe*\") or cases (\"FilePipe/128MiB/4096/*\"); may be given several times.",
            HelpName = "GLOB",
            Arity = ArgumentArity.OneOrMore,
        };
        var data = new Option<string?>("--data")
        {
            Description = "Where generated files are kept, on the disk to be measured (default: the user's cache folder).",
            HelpName = "DIR",
        };
        var seed = new Option<int?>("--seed")
        {
            Description = "Repeat the shuffled order of an earlier run, whose results name it.",
            HelpName = "N",
        };

        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("files", Description) { help, quick, full, file, output, filter, data, seed };
        command.Validators.Add(result =>
        {
            if (result.GetValue(quick) && result.GetValue(full))
            {
                result.AddError("--quick and --full exclude each other: give one of them.");
            }
        });
        command.SetAction(parsed => FilesRunner.Run(new LabOptions
        {
            Mode = parsed.GetValue(full) ? LabMode.Full : LabMode.Quick,
            FilePath = parsed.GetValue(file),
            OutputFolder = parsed.GetValue(output)!,
            Filters = parsed.GetValue(filter) ?? [],
            DataFolder = parsed.GetValue(data),
            Seed = parsed.GetValue(seed),
            Command = "millrace " + string.Join(' ', Environment.GetCommandLineArgs().Skip(1).Select(Quote)),
        }));
        return command;
    }

    private static string Quote(string argument) =>
        argument.Length > 0 && !argument.AsSpan().ContainsAny(NeedQuotes) ? argument : $"'{argument}'";
}
