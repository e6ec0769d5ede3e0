using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Token;

/// <summary>`millrace token list`.</summary>
internal static class TokenListCommand
{
    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Print one JSON line for each." };
        var command = new Command("list", "Print what tokens there are, and what they allow.") { json };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token list", (parsed, _) =>
        {
            IReadOnlyList<TransferToken> tokens = location.Open(parsed).List();
            foreach (TransferToken token in tokens)
            {
                Console.Out.WriteLine(parsed.GetValue(json)
                    ? TokenLine.Of(token, secret: null).ToJson()
                    : $"{token.Name}: {TokenText.Describe(token)}");
            }

            if (tokens.Count == 0)
            {
                Console.Error.WriteLine("There is no token. 'millrace token add NAME' makes one.");
            }

            return Task.FromResult(ExitCode.Success);
        }));
        return command;
    }
}
