using System.Net;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options about hidden names and the permissions of files.</summary>
public sealed class StorageArgumentTests : CommandTests
{
    [Fact]
    public async Task Dotfiles_are_hidden_and_files_get_the_mode()
    {
        Write("served/.env", 10);
        Write("served/a", 10);
        Write("local/b", 10);
        using ServedCommand server = await ServeAsync("served", "--hide", "dotfiles", "--hide", "*.tmp", "--umask", "027");
        using var client = new HttpClient();
        Assert.Equal(HttpStatusCode.NotFound, (await client.GetAsync(new Uri(server.Files + ".env"))).StatusCode);
        using var content = new StringContent("x");
        Assert.Equal(HttpStatusCode.Forbidden, (await client.PutAsync(new Uri(server.Files + "x.tmp"), content)).StatusCode);
        string listed = await SucceedAsync("ls", server.Files);
        Assert.Contains("a", listed, StringComparison.Ordinal);
        Assert.DoesNotContain(".env", listed, StringComparison.Ordinal);
        await SucceedAsync("put", Folder["local/b"], server.Files + "new/b");
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal("640", Convert.ToString((int)File.GetUnixFileMode(Folder["served/new/b"]), 8));
            Assert.Equal("750", Convert.ToString((int)File.GetUnixFileMode(Folder["served/new"]), 8));
        }
    }

    [Theory]
    [InlineData("--hide", "a/b", "without slashes")]
    [InlineData("--umask", "9", "octal")]
    [InlineData("--file-mode", "rw-r--r--", "octal")]
    [InlineData("--max-trash", "1G", "--trash")]
    public async Task Wrong_values_are_named(string option, string value, string message) =>
        Assert.Contains(message, await FailAsync("serve", Folder.Path, option, value), StringComparison.Ordinal);
}
