using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>docs/protocol.md says what is: its commands are run, and what it shows of their output is looked for.</summary>
public sealed class ProtocolPageTests : ClientTest
{
    private const string Example = "http://127.0.0.1:8080";

    /// <summary>The heading whose commands are run here, up to the next of its level.</summary>
    private const string Chapter = "## Files";

    [NeedsFact(Need.Bash | Need.Curl)]
    public async Task Every_command_of_the_page_does_what_the_page_says()
    {
        int commands = 0;
        foreach ((string command, List<string> shown) in ReadPage())
        {
            string real = command.Replace(Example, Server.Address.GetLeftPart(UriPartial.Authority));
            ForeignProgram.Result result = await ForeignProgram.RunAsync(Here, "bash", "-c", $"set -o pipefail; {real}");
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

        // A page whose blocks are marked otherwise would have none.
        Assert.InRange(commands, 30, 1000);
        Assert.Empty(Server.Complaints);
    }

    private static IEnumerable<(string Command, List<string> Shown)> ReadPage()
    {
        bool inChapter = false;
        bool inBlock = false;
        string? command = null;
        var shown = new List<string>();
        foreach (string line in File.ReadLines(Path.Combine(Repository.Root, "docs", "protocol.md")))
        {
            inChapter = line.StartsWith("## ", StringComparison.Ordinal) ? line == Chapter : inChapter;
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
