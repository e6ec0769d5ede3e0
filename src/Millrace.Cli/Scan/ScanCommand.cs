using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli.Scan;

/// <summary>`millrace scan`.</summary>
internal static class ScanCommand
{
    private const string Details = """
        Every file is divided among the processors where a line or record ends. Prints the number and the name, as `wc` does,
        and a total for several files; how long it took goes to the error output. A last line without a line end is not
        counted, and said so; the last record before the end of the file is one, and so is the last line for --find.

        Examples:
          millrace scan access.log
          millrace scan access.log --find " 500 "
          millrace scan export.txt --delimiter 0x1e
          millrace scan samples.bin --sum int64 --json

        Exit codes:
          0    scanned
          1    could not start: wrong arguments
          3    at least one file could not be scanned; the others were
          130  stopped by Ctrl-C
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var options = new ScanOptions();
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("scan", "Count lines, records or bytes of files, or add up numbers, with all processors.") { help };
        options.AddTo(command);
        command.SetAction(parsed => ScanRunner.Run(options.Read(parsed)));
        return command;
    }
}
