using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>docs/uploads.md says what is: its commands are run, and what it shows of their output is looked for.</summary>
public sealed class UploadsPageTests : IAsyncLifetime
{
    private const string Example = "http://127.0.0.1:8080";

    private readonly DirectoryInfo _here = Directory.CreateTempSubdirectory("millrace-uploads-page-");
    private RunningServer _server = null!;

    public async Task InitializeAsync() => _server = await UploadServer.StartAsync();

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _here.Delete(recursive: true);
    }

    [NeedsFact(Need.Bash | Need.Curl)]
    public async Task Every_command_of_the_page_does_what_the_page_says()
    {
        int commands = 0;
        string? command = null;
        string[] printed = [];
        bool inBlock = false;
        foreach (string line in File.ReadLines(Path.Combine(Repository.Root, "docs", "uploads.md")))
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
            {
                inBlock = line == "```console";
                command = null;
            }
            else if (inBlock && line.StartsWith("$ ", StringComparison.Ordinal))
            {
                command = line[2..].Replace(Example, _server.Address.GetLeftPart(UriPartial.Authority));
                ForeignProgram.Result result = await ForeignProgram.RunAsync(_here.FullName, "bash", "-c", $"set -o pipefail; {command}");
                Assert.True(result.ExitCode == 0, $"{command}\n{result.Output}{result.Errors}");
                printed = result.Output.Split('\n', StringSplitOptions.TrimEntries);
                commands++;
            }
            else if (inBlock)
            {
                string pattern = $"^{Regex.Escape(line).Replace("…", ".*")}$";
                Assert.True(
                    printed.Any(found => Regex.IsMatch(found, pattern, RegexOptions.None, TimeSpan.FromSeconds(5))),
                    $"{command}\nshould print a line\n{line}\nand printed\n{string.Join('\n', printed)}");
            }
        }

        Assert.InRange(commands, 12, 100);
        Assert.Empty(_server.Complaints);
    }
}
