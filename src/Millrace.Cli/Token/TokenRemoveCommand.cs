using System.CommandLine;

namespace Millrace.Cli.Token;

/// <summary>`millrace token remove`.</summary>
internal static class TokenRemoveCommand
{
    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var name = new Argument<string>("NAME") { Description = "The token, as 'millrace token list' has it." };
        var location = new TokenLocation();
        var command = new Command("remove", "Make a token invalid, from the next request on.") { name };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token remove", async (parsed, stop) =>
        {
            string given = parsed.GetValue(name)!;
            if (await location.Open(parsed).RemoveAsync(given, stop).ConfigureAwait(false))
            {
                return ExitCode.Success;
            }

            await Console.Error.WriteLineAsync(
                $"millrace token remove: there is no token '{given}'. 'millrace token list' prints those that there are.")
                .ConfigureAwait(false);
            return ExitCode.CannotStart;
        }));
        return command;
    }
}
