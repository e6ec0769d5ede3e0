using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`millrace rm --hidden` and `millrace mv --hidden`.</summary>
public sealed class HiddenTests : CommandTests
{
    [Theory]
    [InlineData("http1")]
    [InlineData("grpc")]
    public async Task Folder_goes_with_hidden_files_on_request(string protocol)
    {
        Write("served/photos/.album", 10);
        Write("served/photos/one.jpg", 10);
        using ServedCommand server = await ServeAsync("served", "--hide", "dotfiles");

        string error = await FailAsync("mv", server.Files + "photos", server.Files + "pictures", "--via", protocol);
        Assert.Contains("contains 1 files or folders that this server hides", error, StringComparison.Ordinal);
        Assert.EndsWith("Use --hidden to take them along.", error.TrimEnd(), StringComparison.Ordinal);
        Assert.True(File.Exists(Folder["served/photos/.album"]));
        await SucceedAsync("mv", "--hidden", server.Files + "photos", server.Files + "pictures", "--via", protocol);
        Assert.True(File.Exists(Folder["served/pictures/.album"]));

        error = await FailAsync("rm", "-r", "-y", server.Files + "pictures/", "--via", protocol);
        Assert.EndsWith("Use --hidden to take them along.", error.TrimEnd(), StringComparison.Ordinal);
        Assert.True(File.Exists(Folder["served/pictures/.album"]));
        await SucceedAsync("rm", "-r", "-y", "--hidden", server.Files + "pictures/", "--via", protocol);
        Assert.False(Directory.Exists(Folder["served/pictures"]));
    }

    [Theory]
    [InlineData("http1")]
    [InlineData("grpc")]
    public async Task Json_has_the_number_of_hidden_files(string protocol)
    {
        Write("served/photos/.album", 10);
        Write("served/photos/.cover", 10);
        Write("served/plain/one", 10);
        using ServedCommand server = await ServeAsync("served", "--hide", "dotfiles");
        foreach (string[] arguments in (string[][])[["mv", server.Files + "photos", server.Files + "pictures"], ["rm", "-r", "-y", server.Files + "photos/"]])
        {
            (int exitCode, string output, _) = await RunAsync([.. arguments, "--json", "--via", protocol]);
            Assert.Equal(1, exitCode);
            JsonElement line = JsonDocument.Parse(output.Trim().Split('\n')[^1]).RootElement;
            Assert.Equal(2, line.GetProperty("hidden").GetInt32());
            Assert.Equal("invalidRequest", line.GetProperty("error").GetString(), ignoreCase: true);
        }

        (_, string none, _) = await RunAsync("mv", server.Files + "none", server.Files + "other", "--json", "--via", protocol);
        Assert.False(JsonDocument.Parse(none).RootElement.TryGetProperty("hidden", out _));
    }

    [Fact]
    public async Task Hidden_files_are_deleted_only_with_folders() =>
        Assert.Contains("--recursive", await FailAsync("rm", "--hidden", "http://127.0.0.1:1/files/a"), StringComparison.Ordinal);
}
