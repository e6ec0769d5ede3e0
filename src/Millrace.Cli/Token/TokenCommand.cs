using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli.Token;

/// <summary>`millrace token`.</summary>
internal static class TokenCommand
{
    private const string Details = """
        A server takes a changed list of tokens from the next request on; it need not be started again.

        Examples:
          millrace token add ci --scope read,write --prefix builds --for 30d --folder /srv/files
          MILLRACE_TOKEN=$(millrace token add me) millrace put may.csv http://host:8080/files/
          millrace token list
          millrace token remove ci

        Exit codes:
          0    done
          1    not done; the error output says why
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        return new Command("token", "Make, list and remove the tokens of a served folder.")
        {
            help, TokenAddCommand.Create(), TokenListCommand.Create(), TokenRemoveCommand.Create(),
        };
    }
}
