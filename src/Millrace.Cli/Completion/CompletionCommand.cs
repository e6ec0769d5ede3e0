using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli;

/// <summary>`millrace completion`.</summary>
internal static class CompletionCommand
{
    private const string Details = """
        Completes commands, options and their values, local files, and the files of a server behind a URL (with the token in
        MILLRACE_TOKEN or --token-file). The script asks millrace, so it stays correct after an update.

        Examples:
          millrace completion bash > ~/.local/share/bash-completion/completions/millrace
          millrace completion zsh > ~/.zfunc/_millrace      # with fpath+=~/.zfunc before compinit
          millrace completion fish > ~/.config/fish/completions/millrace.fish
        """;

    public static Command Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh or fish." };
        shell.AcceptOnlyFromAmong([.. CompletionScripts.Shells]);
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("completion", "Print the script that completes millrace's commands in a shell.") { help, shell };
        command.SetAction(parsed =>
        {
            // With LF on Windows too: a shell reads it.
            parsed.InvocationConfiguration.Output.Write(CompletionScripts.Of(parsed.GetValue(shell)!));
            return ExitCode.Success;
        });
        return command;
    }
}

/// <summary>The scripts, which ask millrace for suggestions and fall back to files.</summary>
internal static class CompletionScripts
{
    // Bash breaks words at colons, so a URL's completion must omit the part before its last colon.
    private const string Bash = """
        # Completes millrace in bash.
        _millrace() {
            local line="${COMP_LINE:0:COMP_POINT}"
            local words="${line#*[[:space:]]}"
            local current="${line##*[[:space:]]}"
            mapfile -t COMPREPLY < <("$1" "[suggest:${#words}]" "$words" 2>/dev/null)
            if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == */ ]]; then
                compopt -o nospace 2>/dev/null
            fi
            local breaks="${COMP_WORDBREAKS//[^:=]/}"
            if [[ -n "$breaks" && "$current" == *[$breaks]* ]]; then
                local front="${current%"${current##*[$breaks]}"}"
                COMPREPLY=("${COMPREPLY[@]#"$front"}")
            fi
        }
        complete -o default -F _millrace millrace

        """;

    private const string Zsh = """
        #compdef millrace
        # Completes millrace in zsh.
        _millrace() {
            local line="${(j: :)${(@)words[2,CURRENT-1]}} $PREFIX"
            line="${line# }"
            local -a found folders
            found=("${(@f)$("${words[1]}" "[suggest:${#line}]" "$line" 2>/dev/null)}")
            found=(${found:#})
            if (( ${#found} == 0 )); then
                _files
                return
            fi
            folders=(${(M)found:#*/})
            found=(${found:#*/})
            compadd -S '' -a folders
            compadd -a found
        }
        if [[ "${funcstack[1]}" == _millrace ]]; then
            _millrace "$@"
        else
            compdef _millrace millrace
        fi

        """;

    private const string Fish = """
        # Completes millrace in fish.
        function __millrace_complete
            set -l words (commandline -opc)
            set -l line (string join -- ' ' $words[2..-1] (commandline -ct))
            $words[1] "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
        end
        complete -c millrace -a '(__millrace_complete)'

        """;

    public static IReadOnlyList<string> Shells { get; } = ["bash", "zsh", "fish"];

    public static string Of(string shell) => (shell switch
    {
        "bash" => Bash,
        "zsh" => Zsh,
        _ => Fish,
    }).ReplaceLineEndings("\n");
}
