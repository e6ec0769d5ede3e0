using System.Text.Json;
using System.Text.RegularExpressions;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>The Dockerfile's last stage: the command accepts its arguments, and no client is let in by default.</summary>
public sealed class ContainerTests : CommandTests
{
    private const string Program = "/usr/bin/millrace";
    private static readonly string Text = File.ReadAllText(Path.Combine(Repository.Root, "Dockerfile"));
    private static readonly string Last = Text[Text.LastIndexOf("\nFROM", StringComparison.Ordinal)..];

    [Fact]
    public void Image_has_no_shell_and_does_not_run_as_root()
    {
        Assert.Matches(@"^\nFROM \S+-chiseled\n", Last);
        Assert.Contains("\nUSER $APP_UID\n", Last, StringComparison.Ordinal);
        Assert.Contains("\nVOLUME /data\n", Last, StringComparison.Ordinal);
        Assert.DoesNotContain("\nRUN", Last, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Image_serves_its_volume_when_there_is_a_token()
    {
        Assert.Equal([Program], Words("ENTRYPOINT"));
        string data = Directory.CreateDirectory(Folder["data"]).FullName;
        string[] arguments = [.. Words("CMD").Select(word => word == "/data" ? data : word)];
        Assert.Contains("millrace token add", await FailAsync([.. arguments, "--port", "0"]), StringComparison.Ordinal);

        await SucceedAsync("token", "add", "one", "--folder", data);
        using ServedCommand serve = await ServedCommand.StartAsync(this, arguments[1..]);
        string[] check = Words("HEALTHCHECK");
        Assert.Equal(Program, check[0]);
        await SucceedAsync([.. check[1..].Select(word => word == "/data" ? data : word)]);
    }

    private static string[] Words(string instruction) => JsonSerializer.Deserialize<string[]>(
        Regex.Match(Last, $@"^{instruction} .*?(?<words>\[.*\])$", RegexOptions.Multiline).Groups["words"].Value)!;
}
