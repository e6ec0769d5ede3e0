using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The message when a transfer is refused: the file, the protocol, the status, and what to do.</summary>
[Trait("Tier", "All")]
public sealed class RefusedTests : CommandTests
{
    public RefusedTests() => Write("one.bin", 300_001);

    [Fact]
    public async Task Token_is_required_and_accepted_from_every_source()
    {
        Directory.CreateDirectory(Folder["served"]);
        string token = (await RunJsonAsync("token", "add", "me", "--folder", "served")).GetProperty("token").GetString()!;
        using ServedCommand server = await ServeAsync("served");

        string error = await FailAsync("put", "one.bin", server.Files, "--verbose");
        MustName(error, "millrace put:", "one.bin", "http1", "401", "MILLRACE_TOKEN");
        error = await FailAsync("get", server.Files + "one.bin", "--token", "mr_wrong", "--verbose");
        MustName(error, "millrace get:", "one.bin", "http1", "401", "--token");
        Assert.DoesNotContain("mr_wrong", error, StringComparison.Ordinal);

        await File.WriteAllTextAsync(Folder["token"], token + "\n");
        await SucceedAsync("put", "one.bin", server.Files, "--token-file", "token");
        await SucceedAsync("get", server.Files + "one.bin", "a.bin", "--token", token);
        Assert.Equal((0, "one.bin\n", ""), await EndAsync(Start(["ls", server.Files], token)));
    }

    [Fact]
    public async Task Taken_name_is_reported_and_the_other_files_continue()
    {
        Write("two.bin", 10);
        Write("served/one.bin", 3);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, string error) = await RunAsync(
            "put", "one.bin", "two.bin", "missing.bin", server.Files, "--new", "--verbose");

        Assert.Equal(1, exitCode);
        MustName(error, $"one.bin to {server.Files}one.bin", "http1", "412", "--create-new", "There is no file 'missing.bin'");
        Assert.Contains("Put 1 file, 10 B, in ", output, StringComparison.Ordinal);
        Assert.Contains("; 2 failed.", output, StringComparison.Ordinal);
        Assert.Equal(3, new FileInfo(Folder["served/one.bin"]).Length);
        Assert.Equal(10, new FileInfo(Folder["served/two.bin"]).Length);
    }

    [Fact]
    public async Task If_match_replaces_or_deletes_only_the_named_version()
    {
        Write("served/one.bin", 3);
        using ServedCommand server = await ServeAsync("served");
        string tag = (await RunJsonAsync("ls", server.Files + "one.bin")).GetProperty("etag").GetString()!;

        string error = await FailAsync("put", "one.bin", server.Files, "--if-match", "other", "--verbose");
        MustName(error, "one.bin", "412", "ls --long");
        Assert.Equal(0, (await RunAsync("put", "one.bin", server.Files, "--if-match", tag)).ExitCode);
        Assert.Equal(300_001, new FileInfo(Folder["served/one.bin"]).Length);
        error = await FailAsync("rm", server.Files + "one.bin", "--if-match", tag, "--verbose");
        MustName(error, "one.bin", "412");
        Assert.True(File.Exists(Folder["served/one.bin"]));
    }

    [Theory]
    [InlineData("get")]
    [InlineData("ls")]
    [InlineData("rm")]
    public async Task Missing_file_is_named(string command)
    {
        using ServedCommand server = await ServeAsync("served");

        string error = await FailAsync(command, server.Files + "sub/missing.bin");
        MustName(error, $"millrace {command}:", "sub/missing.bin", "millrace ls");

        (int exitCode, string output, error) = await RunAsync(command, server.Files + "sub/missing.bin", "--json");
        Assert.Equal((1, ""), (exitCode, error));
        JsonElement line = Assert.Single(Lines(output));
        Assert.Equal("NotFound", line.GetProperty("error").GetString());
        Assert.Equal(server.Files + "sub/missing.bin", line.GetProperty("url").GetString());
        Assert.Empty(Directory.GetFiles(Folder.Path, "*missing*"));
    }

    [Fact]
    public async Task Protocol_and_status_are_left_out_unless_the_user_asks()
    {
        using ServedCommand server = await ServeAsync("served");

        string error = await FailAsync("ls", server.Files + "nonono/");
        Assert.StartsWith("millrace ls: There is no folder 'nonono'.", error, StringComparison.Ordinal);
        Assert.DoesNotContain("404", error, StringComparison.Ordinal);
        MustName(await FailAsync("ls", server.Files + "nonono/", "--verbose"), "Listing 'nonono' over http1", "404", "There is no folder");
        using Socket none = TestPort.Hold();
        Assert.Equal(
            $"millrace ls: Cannot connect: Connection refused ({none.LocalEndPoint}). Is the server running?\n",
            await FailAsync("ls", $"http://{none.LocalEndPoint}/files/", "--attempts", "1"));
    }

    [Fact]
    public async Task Create_new_keeps_an_existing_local_file()
    {
        Write("served/one.bin", 3);
        using ServedCommand server = await ServeAsync("served");

        string error = await FailAsync("get", server.Files + "one.bin", "--new");
        MustName(error, "millrace get:", "one.bin");
        Assert.Equal(300_001, new FileInfo(Folder["one.bin"]).Length);
    }

    [Fact]
    public async Task Url_outside_the_files_is_corrected_in_the_message()
    {
        using ServedCommand server = await ServeAsync("served");
        string wrong = server.Files.Replace("/files/", "/elsewhere/", StringComparison.Ordinal);

        string error = await FailAsync("put", "one.bin", wrong);
        MustName(error, wrong, $"Begin with {server.Files}");
    }

    [Fact]
    public async Task Unreachable_server_is_named()
    {
        using Socket none = TestPort.Hold();

        string error = await FailAsync("put", "one.bin", $"http://{none.LocalEndPoint}/files/", "--attempts", "2");
        MustName(error, "millrace put:", $"{none.LocalEndPoint}", "refused", "Is the server running?", "--attempts");
    }

    [NeedsFact(Need.Mount)]
    public async Task Full_local_disk_is_named_and_leaves_no_file()
    {
        Write("served/one.bin", 8 * 1024 * 1024);
        using ServedCommand server = await ServeAsync("served");
        using var small = MountedDisk.InMemory(1024 * 1024, Folder["small"]);

        string error = await FailAsync("get", server.Files + "one.bin", "small/");
        MustName(error, "millrace get:", "small/one.bin", "space");
        Assert.False(File.Exists(Folder["small/one.bin"]));
    }

    [NeedsFact(Need.Mount)]
    public async Task Full_server_disk_is_named_and_leaves_no_file()
    {
        Write("large.bin", 8 * 1024 * 1024);
        using var small = MountedDisk.InMemory(1024 * 1024, Folder["small"]);
        using ServedCommand server = await ServeAsync("small", "--leave-free", "0");

        string error = await FailAsync("put", "large.bin", server.Files, "--verbose");
        await server.KillAsync();
        MustName(error, "millrace put:", "large.bin", "http1", "507");
        Assert.Empty(Digests("small"));
    }

    [NeedsTheory(Need.Mount)]
    [InlineData("http1", 10)]
    [InlineData("http1", 300_001)]
    [InlineData("tus", 300_001)]
    [InlineData("grpc", 300_001)]
    [InlineData("grpc-web", 300_001)]
    public async Task File_that_something_is_mounted_on_is_refused_at_once(string protocol, int length)
    {
        Write("new", length);
        Write("served/one", 3);
        string mounted = Folder["served/one"];
        Shell.Run("mount", "--bind", mounted, mounted);
        try
        {
            using ServedCommand server = await ServeAsync("served");
            for (int i = 0; i < 2; i++)
            {
                string error = await FailAsync("put", "new", server.Files + "one", "--via", protocol);
                MustName(error, i == 0 ? "mounted on the name" : "one");
            }
        }
        finally
        {
            Shell.Run("umount", mounted);
        }
    }

    private static void MustName(string error, params string[] texts) =>
        Assert.All(texts, text => Assert.Contains(text, error, StringComparison.OrdinalIgnoreCase));
}
