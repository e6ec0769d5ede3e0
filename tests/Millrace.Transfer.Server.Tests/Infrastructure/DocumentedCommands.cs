using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Runs the commands of a page of docs/ against a server and looks for the output that the page shows.</summary>
internal static class DocumentedCommands
{
    private const string Example = "http://127.0.0.1:8080";

    /// <param name="page">Its file's name.</param>
    /// <param name="chapter">The heading of level two whose commands are run; null for the whole page.</param>
    /// <param name="server">What takes the place of the address that the page names.</param>
    /// <param name="folder">Where the commands run.</param>
    /// <returns>How many commands were run.</returns>
    public static async Task<int> RunAsync(string page, string? chapter, Uri server, string folder)
    {
        int commands = 0;
        foreach ((string command, List<string> shown) in Read(page, chapter))
        {
            string real = command.Replace(Example, server.GetLeftPart(UriPartial.Authority));
            ForeignProgram.Result result = await ForeignProgram.RunAsync(folder, "bash", "-c", $"set -o pipefail; {real}");
            Assert.True(result.ExitCode == 0, $"{real}\n{result.Output}{result.Errors}");
            string[] lines = result.Output.Split('\n', StringSplitOptions.TrimEntries);
            foreach (string line in shown)
            {
                string pattern = $"^{Regex.Escape(line).Replace("…", ".*")}$";
                Assert.True(
                    lines.Any(found => Regex.IsMatch(found, pattern, RegexOptions.None, TimeSpan.FromSeconds(5))),
                    $"{real}\nshould print a line\n{line}\nand printed\n{result.Output}");
            }

            commands++;
        }

        return commands;
    }

    private static IEnumerable<(string Command, List<string> Shown)> Read(string page, string? chapter)
    {
        bool inChapter = chapter is null;
        bool inBlock = false;
        string? command = null;
        var shown = new List<string>();
        foreach (string line in File.ReadLines(Path.Combine(Repository.Root, "docs", page)))
        {
            inChapter = chapter is not null && line.StartsWith("## ", StringComparison.Ordinal) ? line == chapter : inChapter;
            bool isFence = line.StartsWith("```", StringComparison.Ordinal);
            bool isCommand = inBlock && line.StartsWith("$ ", StringComparison.Ordinal);
            if ((isFence || isCommand) && command is not null)
            {
                yield return (command, shown);
                command = null;
            }

            if (isFence)
            {
                inBlock = inChapter && !inBlock && line == "```console";
            }
            else if (isCommand)
            {
                command = line[2..];
                shown = [];
            }
            else if (inBlock)
            {
                shown.Add(line);
            }
        }
    }
}
