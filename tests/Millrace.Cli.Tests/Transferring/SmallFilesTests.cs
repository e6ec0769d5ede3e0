using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Folders of many small files, which travel together.</summary>
public sealed class SmallFilesTests : CommandTests
{
    private const int Files = 300;

    public SmallFilesTests()
    {
        for (int i = 0; i < Files; i++)
        {
            Write($"tree/d{i % 3}/f{i}", i == 0 ? 0 : 4_000 + i, i);
        }
    }

    [Fact]
    public async Task Each_file_is_reported_and_one_that_fails_does_not_stop_the_others()
    {
        Write("tree/large", 300_000);

        // A file cannot take the place of a folder.
        Write("served/tree/d1/f1/inner", 10);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync("put", "--json", "tree", server.Files.ToString());
        IReadOnlyList<JsonElement> lines = Lines(output);
        JsonElement failed = Assert.Single(lines, static line => line.TryGetProperty("error", out _));

        Assert.True(exitCode == 1, error);
        Assert.Equal(Files + 1, lines.Count);
        Assert.EndsWith("tree/d1/f1", failed.GetProperty("url").GetString(), StringComparison.Ordinal);
        Assert.All(lines.Where(line => !line.TryGetProperty("error", out _)), static line =>
        {
            Assert.Equal(line.GetProperty("length").GetInt64(), line.GetProperty("sent").GetInt64());
            Assert.Equal(("http1", 1), (line.GetProperty("protocol").GetString(), line.GetProperty("attempts").GetInt32()));
            Assert.Equal(64, line.GetProperty("sha256").GetString()!.Length);
            Assert.StartsWith("\"", line.GetProperty("etag").GetString(), StringComparison.Ordinal);
        });

        Directory.Delete(Folder["served/tree/d1/f1"], recursive: true);
        string again = await SucceedAsync("put", "tree", server.Files.ToString());
        Assert.Contains($"Put 1 file, 3.9 KiB, ", again, StringComparison.Ordinal);
        Assert.Contains($"{Files} files were there already", again, StringComparison.Ordinal);
        Assert.Equal(Digests("tree"), Digests("served/tree"));
    }
}
