namespace Millrace.Lab.Cli;

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

    /// <summary>A cell of a table, with what stands before and after the verdict.</summary>
    public static Cell CellOf(VerdictResult verdict, string before = "", string after = "") => new(
        before + verdict.Verdict + after,
        verdict.Better switch { true => Tone.Good, false => Tone.Bad, null => Tone.None });
}
