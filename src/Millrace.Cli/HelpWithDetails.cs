using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Millrace.Cli;

/// <summary>The usual help with a text behind it.</summary>
internal sealed class HelpWithDetails : SynchronousCommandLineAction
{
    private readonly CommandLineAction _usual;
    private readonly string _details;

    /// <summary>Takes the action that writes the usual help, and the text.</summary>
    public HelpWithDetails(CommandLineAction usual, string details)
    {
        _usual = usual;
        _details = details;
    }

    /// <inheritdoc/>
    public override bool ClearsParseErrors => true;

    /// <inheritdoc/>
    public override int Invoke(ParseResult parseResult)
    {
        int result = ((HelpAction)_usual).Invoke(parseResult);
        parseResult.InvocationConfiguration.Output.WriteLine(_details);
        return result;
    }
}
