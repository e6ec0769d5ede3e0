using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>`verify` names what differs, and `get --repair` fetches it and nothing else.</summary>
public sealed class VerifyTests : CommandTests
{
    private const int Length = 3_000_000;

    [Fact]
    public async Task Differences_are_named_and_repaired()
    {
        byte[] content = Write("served/data/large.bin", Length);
        Write("served/data/small.bin", 1000);
        Write("served/data/same.bin", Length);
        Write("served/data/missing.bin", 10);
        Directory.CreateDirectory(Folder["data"]);
        foreach (string name in (string[])["large.bin", "small.bin", "same.bin"])
        {
            File.Copy(Folder[$"served/data/{name}"], Folder[$"data/{name}"]);
        }

        using ServedCommand server = await ServeAsync("served");
        string url = server.Files + "data/";

        // One byte, with the length and date that the server's file has.
        DateTime date = File.GetLastWriteTimeUtc(Folder["served/data/large.bin"]);
        byte[] damaged = [.. content];
        damaged[2_000_000] ^= 1;
        await File.WriteAllBytesAsync(Folder["data/large.bin"], damaged);
        File.SetLastWriteTimeUtc(Folder["data/large.bin"], date);
        await File.AppendAllTextAsync(Folder["data/small.bin"], "more");
        DateTime kept = File.GetLastWriteTimeUtc(Folder["data/same.bin"]);

        (int exitCode, string output, string error) = await RunAsync("verify", url, "data");

        Assert.True(exitCode == 1, output + error);
        Assert.Contains($"differs: {Path.Combine("data", "large.bin")}, in 2", output, StringComparison.Ordinal);
        Assert.Contains($"differs: {Path.Combine("data", "small.bin")}, 1004 bytes here and 1000 there", output, StringComparison.Ordinal);
        Assert.Contains($"missing: {Path.Combine("data", "missing.bin")}", output, StringComparison.Ordinal);
        Assert.DoesNotContain("same.bin", output, StringComparison.Ordinal);
        Assert.Contains("4 files", output, StringComparison.Ordinal);
        Assert.Contains("1 the same, 3 not", output, StringComparison.Ordinal);
        Assert.False(File.Exists(Folder["data/missing.bin"]));

        (exitCode, output, error) = await RunAsync("get", "--repair", "--json", url, "data");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["data/large.bin"]));
        Assert.Equal(kept, File.GetLastWriteTimeUtc(Folder["data/same.bin"]));
        Dictionary<string, JsonElement> lines = Lines(output).ToDictionary(line => line.GetProperty("name").GetString()!);
        Assert.InRange(lines["data/large.bin"].GetProperty("sent").GetInt64(), 1, 2048);
        Assert.Equal(0, lines["data/same.bin"].GetProperty("sent").GetInt64());

        (exitCode, output, error) = await RunAsync("verify", "--json", url, "data");
        Assert.True(exitCode == 0, output + error);
        Assert.All(Lines(output), line => Assert.Equal("same", line.GetProperty("state").GetString()));
    }

    [Fact]
    public async Task One_file_is_compared_and_a_missing_one_is_an_error()
    {
        Write("served/one.bin", Length);
        File.Copy(Folder["served/one.bin"], Folder["one.bin"]);
        using ServedCommand server = await ServeAsync("served");
        Assert.Equal(0, (await RunAsync("verify", server.Files + "one.bin")).ExitCode);
        Assert.Equal(1, (await RunAsync("verify", server.Files + "none.bin", "one.bin")).ExitCode);
        await File.AppendAllTextAsync(Folder["one.bin"], "x");
        Assert.Equal(1, (await RunAsync("verify", server.Files + "one.bin")).ExitCode);
    }
}
