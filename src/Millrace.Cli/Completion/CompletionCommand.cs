using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli.Completion;

/// <summary>`millrace completion`.</summary>
internal static class CompletionCommand
{
    private const string Details = """
        Commands, options and their values are completed, files, and what a server has behind a URL (with the token of
        MILLRACE_TOKEN or --token-file). The script asks millrace itself, so it stays right when millrace is updated.

        Examples:
          millrace completion bash > ~/.local/share/bash-completion/completions/millrace
          millrace completion zsh > ~/.zfunc/_millrace      # with fpath+=~/.zfunc before compinit
          millrace completion fish > ~/.config/fish/completions/millrace.fish
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh or fish." };
        shell.AcceptOnlyFromAmong([.. CompletionScripts.Shells]);
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("completion", "Print what makes a shell complete millrace's commands.") { help, shell };
        command.SetAction(parsed =>
        {
            // Not by lines of this system: a shell reads it.
            parsed.InvocationConfiguration.Output.Write(CompletionScripts.Of(parsed.GetValue(shell)!));
            return ExitCode.Success;
        });
        return command;
    }
}
