using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` for a folder that is only read.</summary>
internal sealed class ReadOnlyOptionSet
{
    public Option<bool> ReadOnly { get; } = new("--read-only")
    {
        Description = "Let nobody change anything, and write nothing to the folder, which may be on a read-only file system.",
    };

    /// <summary>Not for a bucket, which keeps its own state.</summary>
    public Option<string?> State { get; } = StateOption.Create(
        "With --read-only, keep tokens, links and digests in this folder (default: in memory, with the tokens in the folder, if it has any).");

    public string Name => ReadOnly.Name;

    public void AddTo(Command command)
    {
        command.Add(ReadOnly, State);
        command.Validators.Add(result =>
        {
            if (result.GetResult(State) is { Implicit: false } && !result.GetValue(ReadOnly))
            {
                result.AddError($"{State.Name} is for folders that are served {ReadOnly.Name}. With uploads, a folder keeps all in its own .millrace, on the same file system.");
            }
        });
    }

    public void Read(ParseResult parsed, TransferHostOptions options)
    {
        options.ReadOnly = parsed.GetValue(ReadOnly);
        options.Store.StatePath = parsed.GetValue(State) is { Length: > 0 } state ? state : null;
    }
}

/// <summary>The option for the state of a folder that is served read-only. Other commands take it, too.</summary>
internal static class StateOption
{
    public static Option<string?> Create(string description) => new("--state") { Description = description, HelpName = "DIR" };
}
