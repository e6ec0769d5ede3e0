using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options about bytes per second.</summary>
public sealed class RateArgumentTests : CommandTests
{
    [Fact]
    public async Task Token_keeps_its_rate_and_the_list_shows_it()
    {
        await SucceedAsync("token", "add", "slow", "--max-rate", "4MiB");
        Assert.Equal("slow: read,write,delete,list,link at up to 4 MiB per second", (await SucceedAsync("token", "list")).Trim());
        JsonElement line = JsonDocument.Parse(await SucceedAsync("token", "list", "--json")).RootElement;
        Assert.Equal(4 * 1024 * 1024, line.GetProperty("maxRate").GetInt64());
        Assert.Contains("range", await FailAsync("token", "add", "slower", "--max-rate", "10"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_with_rates_serves_small_files()
    {
        Write("served/a", 10);
        using ServedCommand server = await ServeAsync("served", "--max-rate", "1M", "--max-rate-per-caller", "500K");
        await SucceedAsync("get", server.Files + "a", Folder["b"]);
        Assert.Equal(await File.ReadAllBytesAsync(Folder["served/a"]), await File.ReadAllBytesAsync(Folder["b"]));
    }

    [Theory]
    [InlineData("--max-rate")]
    [InlineData("--max-rate-per-caller")]
    public async Task Rate_that_would_seem_to_hang_is_refused(string option) =>
        Assert.Contains("1000 bytes or more", await FailAsync("serve", Folder.Path, option, "999"), StringComparison.Ordinal);
}
