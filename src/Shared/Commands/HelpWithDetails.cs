using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Millrace.Cli;

/// <summary>The usual help, followed by a text.</summary>
internal sealed class HelpWithDetails : SynchronousCommandLineAction
{
    private readonly CommandLineAction _usual;
    private readonly string _details;

    private HelpWithDetails(CommandLineAction usual, string details)
    {
        _usual = usual;
        _details = details;
    }

    public static HelpOption Create(string details)
    {
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, details);
        return help;
    }

    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        int result = ((HelpAction)_usual).Invoke(parseResult);
        parseResult.InvocationConfiguration.Output.WriteLine(_details);
        return result;
    }
}
