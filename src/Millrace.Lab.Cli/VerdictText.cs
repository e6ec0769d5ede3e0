using Millrace.Lab.Results;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>A verdict in its colour.</summary>
internal static class VerdictText
{
    public static string Of(VerdictResult verdict)
    {
        string text = Markup.Escape(verdict.Verdict);
        return verdict.Better switch
        {
            true => $"[green]{text}[/]",
            false => $"[red]{text}[/]",
            null => text,
        };
    }
}
