using System.CommandLine;
using System.CommandLine.Parsing;

namespace Millrace.Cli;

/// <summary><c>--create-new</c>, with the older spelling of a command as a hidden alias.</summary>
internal sealed class CreateNewOption(string description, string olderName)
{
    private readonly Option<bool> _option = new("--create-new") { Description = description };

    // An alias would show in the help.
    private readonly Option<bool> _older = new(olderName) { Hidden = true };

    public void AddTo(Command command) => command.Add(_option, _older);

    public bool Read(ParseResult parsed) => parsed.GetValue(_option) || parsed.GetValue(_older);

    public bool IsGiven(SymbolResult result) =>
        result.GetResult(_option) is { Implicit: false } || result.GetResult(_older) is { Implicit: false };
}
