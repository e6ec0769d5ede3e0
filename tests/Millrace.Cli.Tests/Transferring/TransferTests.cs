using System.Diagnostics;
using System.Security.Cryptography;
using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>put, get, ls and rm against `millrace serve`, all as processes.</summary>
public sealed class TransferTests : CommandTests
{
    [Theory]
    [InlineData("auto", "http1")]
    [InlineData("http1", "http1")]
    [InlineData("http2", "http2")]
    [InlineData("tus", "tus")]
    [InlineData("grpc", "grpc")]
    [InlineData("grpc-web", "grpc-web")]
    [InlineData("grpc-web-text", "grpc-web-text")]
    public async Task File_is_uploaded_and_downloaded_over_every_protocol(string via, string protocol)
    {
        byte[] content = Write("one.bin", 3_000_001);
        using ServedCommand server = await ServeAsync("served");
        string digest = Convert.ToHexStringLower(SHA256.HashData(content));

        JsonElement put = await RunJsonAsync("put", "one.bin", server.Files + "a/one.bin", "--via", via);
        JsonElement got = await RunJsonAsync("get", server.Files + "a/one.bin", "copy.bin", "--via", via);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/a/one.bin"]));
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["copy.bin"]));
        Assert.All([put, got], line =>
        {
            Assert.Equal("a/one.bin", line.GetProperty("name").GetString());
            Assert.Equal(content.Length, line.GetProperty("length").GetInt64());
            Assert.Equal(content.Length, line.GetProperty("sent").GetInt64());
            Assert.Equal(digest, line.GetProperty("sha256").GetString());
            Assert.Equal(1, line.GetProperty("attempts").GetInt32());
        });
        Assert.Equal(protocol, put.GetProperty("protocol").GetString());
    }

    [Fact]
    public async Task The_summary_names_source_destination_speed_and_protocol()
    {
        byte[] content = Write("one.bin", 300_001);
        using ServedCommand server = await ServeAsync("served");
        string digest = Convert.ToHexStringLower(SHA256.HashData(content));

        (int exitCode, string output, string error) = await RunAsync("put", "one.bin", server.Files);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Matches($@"^Put one\.bin to {server.Files}one\.bin, 293 KiB, in .+ \(.+/s\) by http1; SHA-256 {digest}\.\s*$", output);

        (exitCode, output, error) = await RunAsync("get", server.Files + "one.bin", "two.bin");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Matches($@"^Got {server.Files}one\.bin to two\.bin, 293 KiB, in .+ by http1; SHA-256 {digest}\.\s*$", output);

        (exitCode, output, error) = await RunAsync("get", "-q", server.Files + "one.bin", "two.bin");
        Assert.Equal((0, "", ""), (exitCode, output, error));
    }

    [Fact]
    public async Task Folders_are_uploaded_and_downloaded_completely()
    {
        Write("tree/a.bin", 1_000_000, 1);
        Write("tree/sub/b c.bin", 70_000, 2);
        Write("tree/sub/Grüße%20#1.txt", 5, 3);
        Write("tree/sub/empty", 0);
        for (int i = 0; i < 20; i++)
        {
            Write($"tree/many/{i}.bin", i * 1000, i);
        }

        using ServedCommand server = await ServeAsync("served");

        string output = await SucceedAsync("put", "tree", server.Files + "up/");
        Assert.Contains("Put 24 files, ", output, StringComparison.Ordinal);
        output = await SucceedAsync("get", server.Files + "up/tree/", "down");

        SortedDictionary<string, string> expected = Digests("tree");
        Assert.Equal(24, expected.Count);
        Assert.Equal(expected, Digests("served/up/tree"));
        Assert.Equal(expected, Digests("down"));
    }

    [NeedsFact(Need.Unix)]
    public async Task Files_of_a_folder_that_are_there_are_not_moved_again()
    {
        Write("tree/a.bin", 100_000, 1);
        Write("tree/sub/b c.bin", 70_000, 2);
        Write("tree/sub/empty", 0);
        LocalTime.Set(Folder["tree/a.bin"], new FileTime(1_500_000_000, 123_456_789));
        LocalTime.Set(Folder["tree/sub/empty"], new FileTime(-1_000_000, 1));
        using ServedCommand server = await ServeAsync("served");
        string up = server.Files + "up/";

        await SucceedAsync("put", "tree", up);
        Assert.Equal(new FileTime(1_500_000_000, 123_456_789), LocalTime.Of(Folder["served/up/tree/a.bin"]));
        Assert.Contains("Put 0 files, 0 B, in ", await SucceedAsync("put", "tree", up), StringComparison.Ordinal);
        Assert.Contains("; 3 files were there already.", await SucceedAsync("put", "tree", up), StringComparison.Ordinal);
        Assert.Contains("Put 3 files, ", await SucceedAsync("put", "--all", "tree", up), StringComparison.Ordinal);
        Assert.All(Lines(await SucceedAsync("put", "--json", "tree", up)), static line => Assert.True(line.GetProperty("present").GetBoolean()));

        // The same bytes of another day; other bytes of the same length, of another day and of the same.
        LocalTime.Set(Folder["tree/a.bin"], new FileTime(1_600_000_000, 0));
        Write("tree/sub/b c.bin", 70_000, 3);
        Assert.Contains("Put 1 file, 68 KiB, in ", await SucceedAsync("put", "tree", up), StringComparison.Ordinal);
        FileTime time = LocalTime.Of(Folder["tree/sub/b c.bin"]);
        Write("tree/sub/b c.bin", 70_000, 4);
        LocalTime.Set(Folder["tree/sub/b c.bin"], time);
        Assert.Contains("; 3 files were there already.", await SucceedAsync("put", "tree", up), StringComparison.Ordinal);
        Assert.Contains("Put 1 file, 68 KiB, in ", await SucceedAsync("put", "--checksum", "tree", up), StringComparison.Ordinal);
        Assert.Equal(Digests("tree"), Digests("served/up/tree"));

        Assert.Contains("Got 3 files, ", await SucceedAsync("get", up + "tree/", "down"), StringComparison.Ordinal);
        Assert.Equal(LocalTime.Of(Folder["served/up/tree/sub/empty"]), LocalTime.Of(Folder["down/sub/empty"]));
        LocalTime.Set(Folder["down/a.bin"], new FileTime(5, 0));
        Assert.Contains("; 3 files were there already.", await SucceedAsync("get", up + "tree/", "down"), StringComparison.Ordinal);
        Assert.Equal(LocalTime.Of(Folder["served/up/tree/a.bin"]), LocalTime.Of(Folder["down/a.bin"]));
        Write("down/a.bin", 100_000, 7);
        LocalTime.Set(Folder["down/a.bin"], LocalTime.Of(Folder["served/up/tree/a.bin"]));
        Assert.Contains("Got 1 file, ", await SucceedAsync("get", "--checksum", up + "tree/", "down"), StringComparison.Ordinal);
        Assert.Contains("Got 3 files, ", await SucceedAsync("get", "--all", "--no-times", up + "tree/", "down"), StringComparison.Ordinal);
        Assert.True(LocalTime.Of(Folder["down/a.bin"]).Seconds > 1_700_000_000);
        Assert.Equal(Digests("tree"), Digests("down"));

        // A name that has to be free is not, also where the file is the same.
        Assert.Equal(1, (await RunAsync("put", "--create-new", "tree", up)).ExitCode);
        Assert.Equal(1, (await RunAsync("get", "--create-new", up + "tree/", "down")).ExitCode);
    }

    [NeedsTheory(Need.Mount)]
    [InlineData(-100_000_000_000)]
    [InlineData(-30_000_000_000)]
    [InlineData(10_413_792_000)]
    [InlineData(253_402_300_800)]
    public async Task Folder_with_a_file_of_any_date_is_uploaded(long seconds)
    {
        using MountedDisk disk = MountedDisk.InMemory(1 << 20, Folder["disk"]);
        Write("disk/a", 10);
        Write("disk/b", 10);
        Shell.Run("touch", "-d", $"@{seconds}", disk["a"], disk.Path);
        using ServedCommand server = await ServeAsync("served");

        await SucceedAsync("put", "disk", server.Files);
        await SucceedAsync("put", "disk/a", server.Files + "c");

        Assert.Equal(Digests("disk"), Digests("served/disk"));
        Assert.True(File.Exists(Folder["served/c"]));
    }

    [NeedsFact(Need.Unix)]
    public async Task Folder_is_not_downloaded_through_a_link_that_leads_out_of_it()
    {
        Write("served/tree/x.bin", 10);
        Write("served/tree/linked/y.bin", 10);
        Directory.CreateDirectory(Folder["outside"]);
        Directory.CreateDirectory(Folder["down"]);
        Directory.CreateSymbolicLink(Folder["down/linked"], Folder["outside"]);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string _, string error) = await RunAsync("get", server.Files + "tree/", "down");

        Assert.Equal(1, exitCode);
        Assert.Contains("Remove the link", error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(Folder["outside"]));
        Assert.True(File.Exists(Folder["down/x.bin"]));
    }

    [Fact]
    public async Task Standard_input_goes_up_and_standard_output_comes_down()
    {
        byte[] content = Write("one.bin", 3_000_001);
        using ServedCommand server = await ServeAsync("served");

        Process put = Start(["put", "-", server.Files + "in.bin"], input: true);
        await put.StandardInput.BaseStream.WriteAsync(content);
        put.StandardInput.Close();
        (int exitCode, string output, string error) = await EndAsync(put);
        Assert.True(exitCode == 0, output + error);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/in.bin"]));

        Process get = Start(["get", server.Files + "in.bin", "-"]);
        var copy = new MemoryStream();
        await get.StandardOutput.BaseStream.CopyToAsync(copy);
        error = await get.StandardError.ReadToEndAsync();
        await TestProcess.WaitAsync(get);
        Assert.True(get.ExitCode == 0, error);
        Assert.Equal(content, copy.ToArray());
        Assert.StartsWith("Got ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Files_are_listed_below_their_folder()
    {
        Write("served/a.bin", 300_001);
        Write("served/sub/b.bin", 10);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync("ls", server.Files);
        Assert.Equal((0, "a.bin\nsub/\n", ""), (exitCode, output, error));

        (_, output, _) = await RunAsync("ls", "-r", server.Files);
        Assert.Equal("a.bin\nsub/b.bin\n", output);

        (_, output, _) = await RunAsync("ls", server.Files + "sub");
        Assert.Equal("b.bin\n", output);

        (_, output, _) = await RunAsync("ls", "--long", server.Files + "a.bin");
        Assert.Matches("^  293 KiB  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  \".+\" +a\\.bin\\s*$", output);

        (_, output, _) = await RunAsync("ls", "-r", "--json", server.Files);
        IReadOnlyList<JsonElement> lines = Lines(output);
        Assert.Equal(["a.bin", "sub/b.bin"], lines.Select(line => line.GetProperty("name").GetString()));
        Assert.Equal(server.Files + "sub/b.bin", lines[1].GetProperty("url").GetString());
        Assert.Equal(300_001, lines[0].GetProperty("length").GetInt64());
    }

    [Fact]
    public async Task Files_are_deleted_and_folders_after_asking()
    {
        foreach (string name in new[] { "a.bin", "b.bin", "sub/c.bin", "sub/d/e.bin" })
        {
            Write($"served/{name}", 10);
        }

        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync("rm", server.Files + "a.bin");
        Assert.Equal((0, $"Deleted {server.Files}a.bin.\n", ""), (exitCode, output, error));

        (exitCode, _, error) = await RunAsync("rm", "-r", server.Files + "sub/");
        Assert.Equal(1, exitCode);
        Assert.Contains("Delete 2 files (20 B)", error, StringComparison.Ordinal);
        Assert.Contains("--yes", error, StringComparison.Ordinal);
        Assert.Equal(3, Digests("served").Count);

        Process answered = Start(["rm", "-r", server.Files + "sub/"], input: true);
        await answered.StandardInput.WriteLineAsync("y");
        answered.StandardInput.Close();
        (exitCode, output, error) = await EndAsync(answered);
        Assert.True(exitCode == 0, output + error);
        Assert.EndsWith("Deleted 2 files.\n", output, StringComparison.Ordinal);

        (exitCode, output, _) = await RunAsync("rm", "-r", "--yes", "--json", server.Files);
        Assert.Equal(0, exitCode);
        Assert.Equal("b.bin", Assert.Single(Lines(output)).GetProperty("name").GetString());
        Assert.Empty(Digests("served"));
    }

    [Fact]
    public async Task File_that_is_larger_than_max_file_is_refused()
    {
        Write("served/large.bin", 2_000);
        using ServedCommand server = await ServeAsync("served");

        string error = await FailAsync("get", server.Files + "large.bin", "--max-file", "1K");
        Assert.Contains("more than the 1024 bytes that you allow", error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(Folder.Path));
        Assert.Equal(0, (await RunAsync("get", server.Files + "large.bin", "--max-file", "2000")).ExitCode);
    }

    [Theory]
    [InlineData("http1")]
    [InlineData("http2")]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    public async Task Recursive_removal_leaves_no_folder(string via)
    {
        Write("served/sub/d/e.bin", 10);
        Write("served/other/f.bin", 10);
        Directory.CreateDirectory(Folder["served/sub/empty/deep"]);
        Directory.CreateDirectory(Folder["served/bare/deep"]);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync("rm", "-r", "--yes", server.Files + "sub/", "--via", via);
        Assert.Equal((0, $"Deleted {server.Files}sub/d/e.bin.\nDeleted {server.Files}sub/.\n", ""), (exitCode, output, error));
        (exitCode, output, error) = await RunAsync("rm", "-r", "--yes", server.Files + "bare/", "--via", via);
        Assert.Equal((0, $"Deleted {server.Files}bare/.\n", ""), (exitCode, output, error));
        Assert.Equal(["other"], Directory.GetDirectories(Folder["served"]).Select(Path.GetFileName).Where(name => name != ".millrace"));

        (exitCode, _, error) = await RunAsync("rm", "-r", "--yes", server.Files, "--via", via);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.DoesNotContain("other", Directory.GetDirectories(Folder["served"]).Select(Path.GetFileName));
        Assert.Contains("missing", await FailAsync("rm", "-r", "--yes", server.Files + "missing/", "--via", via), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Remote_names_are_completed_in_a_url()
    {
        Write("served/may.csv", 10);
        Write("served/maybe/x.csv", 10);
        Write("served/other.csv", 10);
        using ServedCommand server = await ServeAsync("served");
        string line = $"get {server.Files}ma";

        // It gives up after the two seconds for which a user waits; on a busy machine the next one may be faster.
        (int ExitCode, string Output, string Error) answer = default;
        await Bounded.UntilAsync(async () => (answer = await RunAsync($"[suggest:{line.Length}]", line)).Output.Length > 0);

        Assert.Equal((0, $"{server.Files}may.csv\n{server.Files}maybe/\n", ""), answer);
    }
}
