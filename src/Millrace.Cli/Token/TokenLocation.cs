using System.CommandLine;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Token;

/// <summary>Where tokens are kept: options that `token` and `link` share.</summary>
internal sealed class TokenLocation
{
    public Option<string> Folder { get; } = new("--folder")
    {
        Description = "The folder that is served; its tokens are in its hidden folder .millrace.",
        HelpName = "FOLDER",
        DefaultValueFactory = _ => ".",
    };

    public Option<string?> Tokens { get; } = new("--tokens")
    {
        Description = "The file of tokens, where 'millrace serve' was given one too.",
        HelpName = "FILE",
    };

    /// <summary>Adds the options.</summary>
    public void AddTo(Command command)
    {
        command.Options.Add(Folder);
        command.Options.Add(Tokens);
    }

    /// <summary>Opens the file that they name.</summary>
    /// <exception cref="TransferException">There is no such folder.</exception>
    public TokenStore Open(ParseResult parsed)
    {
        if (parsed.GetValue(Tokens) is { Length: > 0 } file)
        {
            return new TokenStore(file);
        }

        string folder = parsed.GetValue(Folder)!;
        return Directory.Exists(folder)
            ? new TokenStore(TokenStore.DefaultPath(folder))
            : throw new TransferException(
                TransferError.NotFound, $"There is no folder '{folder}'. Name the one that is served with --folder.");
    }
}
