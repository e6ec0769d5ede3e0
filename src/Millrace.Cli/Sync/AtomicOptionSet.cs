using System.CommandLine;
using System.CommandLine.Parsing;

namespace Millrace.Cli;

/// <summary>The options of sync and put that publish a folder as a whole.</summary>
internal sealed class AtomicOptionSet
{
    public const string Name = "--atomic";

    private readonly Option<bool> _atomic = new(Name)
    {
        Description = "Change the folder in one step, when everything is there, or not at all.",
    };

    private readonly Option<int?> _keep = new("--keep")
    {
        Description = "With --atomic, keep this many earlier versions of the folder beside it (default: none).",
        HelpName = "N",
    };

    public AtomicOptionSet() => _keep.Validators.Add(result =>
    {
        if (!result.Implicit && result.GetResult(_atomic) is not { Implicit: false })
        {
            result.AddError("--keep needs --atomic.");
        }
        else if (!result.Implicit && result.GetValueOrDefault<int?>() is < 0)
        {
            result.AddError("--keep takes a number of versions, 0 or more.");
        }
    });

    public void AddTo(Command command) => command.Add(_atomic, _keep);

    public bool IsGiven(SymbolResult result) => result.GetResult(_atomic) is { Implicit: false };

    public bool Read(ParseResult parsed, out int? keep)
    {
        keep = parsed.GetValue(_keep);
        return parsed.GetValue(_atomic);
    }
}
