using System.CommandLine;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Token;

/// <summary>`millrace token add`.</summary>
internal static class TokenAddCommand
{
    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var name = new Argument<string>("NAME") { Description = "What the token is called, in lists and logs." };
        var scope = new Option<string>("--scope")
        {
            Description = "What it allows: read, write, delete, list, or all.",
            HelpName = "SCOPE,…",
            DefaultValueFactory = _ => "all",
        };
        var prefix = new Option<string?>("--prefix")
        {
            Description = "The only folder, or file, that it is for; without this, for everything.",
            HelpName = "NAME",
        };
        var lifetime = new Option<string?>("--for")
        {
            Description = $"How long it is valid ({LifetimeArgument.Examples}); without this, until it is removed.",
            HelpName = "TIME",
        };
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Print the token and what it allows as one JSON line." };
        var command = new Command("add", "Make a token and print it, this once.") { name, scope, prefix, lifetime, json };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token add", async (parsed, stop) =>
        {
            if (!TransferScopes.TryParse(parsed.GetValue(scope), out TransferScope scopes, out string? unknown))
            {
                throw TokenAction.Wrong($"--scope knows read, write, delete, list and all, not '{unknown}'.");
            }

            TimeSpan? time = null;
            if (parsed.GetValue(lifetime) is { } text)
            {
                time = LifetimeArgument.TryParse(text, out TimeSpan given) && given > TimeSpan.Zero
                    ? given
                    : throw TokenAction.Wrong($"--for '{text}' is no time. Write {LifetimeArgument.Examples}.");
            }

            CreatedToken made = await location.Open(parsed)
                .AddAsync(parsed.GetValue(name)!, scopes, Prefix(parsed.GetValue(prefix)), time, stop)
                .ConfigureAwait(false);
            if (parsed.GetValue(json))
            {
                Console.Out.WriteLine(TokenLine.Of(made.Token, made.Secret).ToJson());
                return ExitCode.Success;
            }

            // The secret alone, so that a script can take it.
            Console.Out.WriteLine(made.Secret);
            await Console.Error.WriteLineAsync(
                $"Token '{made.Token.Name}' allows {TokenText.Describe(made.Token)}. It is shown only now: give it to 'millrace put' and 'get' in MILLRACE_TOKEN, to others as 'Authorization: Bearer …'.")
                .ConfigureAwait(false);
            return ExitCode.Success;
        }));
        return command;
    }

    /// <summary>A folder may be written with a slash at its end, as elsewhere.</summary>
    private static TransferName Prefix(string? text) =>
        string.IsNullOrEmpty(text?.TrimEnd('/')) ? default : TransferName.Parse(text.TrimEnd('/'));
}
