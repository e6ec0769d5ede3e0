using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>get and put of signed links as `millrace link` prints them, with a server that needs a token otherwise.</summary>
public sealed class LinkTests : CommandTests
{
    [Fact]
    public async Task A_link_is_downloaded_without_a_token()
    {
        byte[] content = Write("served/2026/a b.bin", 3_000_001);
        string link = await LinkAsync("2026/a b.bin");

        JsonElement got = await RunJsonAsync("get", link);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["a b.bin"]));
        Assert.Equal(link[..link.IndexOf('?')], got.GetProperty("url").GetString());
        Assert.Equal(64, got.GetProperty("sha256").GetString()!.Length);
    }

    [Fact]
    public async Task Link_takes_precedence_over_an_unknown_token()
    {
        byte[] content = Write("served/a.bin", 300_001);
        string link = await LinkAsync("a.bin");

        (int exitCode, _, string error) = await EndAsync(Start(["get", link], token: "mr_unknown"));

        Assert.True(exitCode == 0, error);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["a.bin"]));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(3_000_001)]
    public async Task Put_link_uploads_and_replaces_a_file(int length)
    {
        string link = await LinkAsync("in/new.bin", "--put");

        // The first may be written as a new file, the second replaces it.
        for (int seed = 0; seed < 2; seed++)
        {
            byte[] content = Write("mine.bin", length, seed);
            JsonElement put = await RunJsonAsync("put", "mine.bin", link);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/in/new.bin"]));
            Assert.Equal(length, put.GetProperty("sent").GetInt64());
            Assert.Equal(64, put.GetProperty("sha256").GetString()!.Length);
        }
    }

    [Fact]
    public async Task Standard_input_can_be_uploaded_to_a_link()
    {
        string link = await LinkAsync("in/new.txt", "--put");
        System.Diagnostics.Process put = Start(["put", "-", link], input: true);
        await put.StandardInput.WriteAsync("from a pipe");
        put.StandardInput.Close();

        (int exitCode, _, string error) = await EndAsync(put);

        Assert.True(exitCode == 0, error);
        Assert.Equal("from a pipe", await File.ReadAllTextAsync(Folder["served/in/new.txt"]));
    }

    [Fact]
    public async Task Link_for_the_other_direction_is_rejected_and_not_printed()
    {
        Write("served/a.bin", 10);
        Write("mine.bin", 3_000_000);
        string get = await LinkAsync("a.bin");

        foreach (string[] options in (string[][])[[], ["--json"]])
        {
            (int exitCode, string output, string error) = await RunAsync(["put", "mine.bin", get, .. options]);
            Assert.Equal(1, exitCode);
            Assert.Contains("Ask for a new one", output + error, StringComparison.Ordinal);
            Assert.DoesNotContain("mr-", output + error, StringComparison.Ordinal);
        }

        Assert.Equal(10, new FileInfo(Folder["served/a.bin"]).Length);
    }

    [Theory]
    [InlineData("PUT", "put", "mine.bin", "LINK", "--via", "tus")]
    [InlineData("http1 or http2", "put", "mine.bin", "LINK", "--via", "grpc")]
    [InlineData("'millrace get'", "ls", "LINK")]
    [InlineData("'millrace get'", "rm", "LINK")]
    [InlineData("final slash", "put", "mine.bin", "mine.bin", "LINK")]
    public async Task Unsupported_uses_of_a_link_are_rejected_with_a_remedy(string expected, params string[] arguments)
    {
        Write("mine.bin", 10);
        string link = await LinkAsync("a.bin", "--put");

        (int exitCode, string output, string error) =
            await RunAsync([.. arguments.Select(argument => argument == "LINK" ? link : argument)]);

        Assert.Equal(1, exitCode);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.DoesNotContain("mr-", output + error, StringComparison.Ordinal);
        Assert.False(File.Exists(Folder["served/a.bin"]));
    }

    /// <summary>A server that needs a token, and a link to one of its files.</summary>
    private async Task<string> LinkAsync(string name, params string[] options)
    {
        Directory.CreateDirectory(Folder["served"]);
        await SucceedAsync("token", "add", "all", "--folder", "served");
        using ServedCommand server = await ServeAsync("served");
        string link = await SucceedAsync(
            ["link", name, "--folder", "served", "--url", server.Files.Replace("/files/", "", StringComparison.Ordinal), .. options]);
        return link.Trim();
    }
}
