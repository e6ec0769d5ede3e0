using System.Diagnostics;
using System.Security.Cryptography;

namespace Millrace.Samples.Tests;

public sealed class ServeFilesTests : FolderTests
{
    [Theory]
    [InlineData]
    [InlineData("--stock")]
    public async Task An_upload_comes_back_as_it_was_sent(params string[] options)
    {
        byte[] content = RandomNumberGenerator.GetBytes(3_000_001);
        using Process server = Sample.Start("ServeFiles", [Folder.Path, .. options]);
        using var client = new HttpClient { BaseAddress = new Uri((await Sample.ReadLineAsync(server))!) };
        using var body = new ByteArrayContent(content);

        using HttpResponseMessage response = await client.PutAsync(new Uri("/file", UriKind.Relative), body);
        byte[] received = await client.GetByteArrayAsync(new Uri("/file", UriKind.Relative));
        server.StandardInput.Close();
        await TestProcess.WaitAsync(server);

        Assert.True(response.IsSuccessStatusCode);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["file"]));
        Assert.Equal(content, received);
        Assert.Equal(0, server.ExitCode);
    }

    [Fact]
    public async Task The_comparison_has_a_row_for_each_transport()
    {
        (int exitCode, string output, string error) = await Sample.RunAsync("ServeFiles", "--compare", "2");

        Assert.True(exitCode == 0, error);
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        Assert.Equal(["transport", "stock", "millrace"], lines.Select(line => line.Split(' ')[0]));
        Assert.All(lines[1..], line => Assert.Equal(5, line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Length));
    }
}
