using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>A wrong command line is refused before any server is asked.</summary>
public sealed class TransferArgumentsTests : CommandTests
{
    [Theory]
    [InlineData("put", "x", "http://127.0.0.1:1/files/x", "--if-match", "abc", "--attempts", "1")]
    [InlineData("rm", "http://127.0.0.1:1/files/x", "--if-match", "\"abc\"", "--attempts", "1")]
    [InlineData("ls", "http://127.0.0.1:1/files/", "--token", "mr_abc", "--attempts", "1")]
    public async Task Valid_command_line_reaches_the_server(params string[] arguments)
    {
        string error = await FailAsync(arguments);
        Assert.Contains("127.0.0.1:1", error, StringComparison.Ordinal);
        Assert.Contains("refused", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_json_a_wrong_url_is_an_object_too()
    {
        (int exitCode, string output, string error) = await RunAsync("get", "http://h/files/../x", "--json");

        Assert.Equal((1, ""), (exitCode, error));
        using var json = JsonDocument.Parse(output);
        Assert.Equal("InvalidName", json.RootElement.GetProperty("error").GetString());
        Assert.Equal("http://h/files/../x", json.RootElement.GetProperty("url").GetString());
    }
}
