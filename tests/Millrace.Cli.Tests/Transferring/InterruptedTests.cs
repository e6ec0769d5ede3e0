using System.Diagnostics;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Transfers that are killed, stopped and cut in their middle.</summary>
public sealed class InterruptedTests : CommandTests
{
    private const int Length = 16 * 1024 * 1024;
    private const int Middle = 6 * 1024 * 1024;

    /// <summary>Of the bytes let through, at least so many are counted by the other end when its connection is cut.</summary>
    private const int Certain = 4 * 1024 * 1024;

    private readonly byte[] _content;

    public InterruptedTests() => _content = Write("one.bin", Length);

    [Fact]
    public async Task Killed_upload_is_resumed_by_the_same_command()
    {
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["put", "one.bin", relay.Files + "one.bin"];
        relay.Stall(up: Middle);

        await KillStalledAsync(relay, arguments, () => Largest(Folder["served/.millrace"], "*") >= Certain);
        Assert.Empty(Digests("served"));
        JsonElement put = await RunJsonAsync(arguments);

        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        Assert.InRange(put.GetProperty("sent").GetInt64(), Length - Middle, Length - Certain);
    }

    [Fact]
    public async Task Killed_download_is_resumed_by_the_same_command()
    {
        Write("served/one.bin", Length);
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["get", relay.Files + "one.bin", "copy.bin", "--connections", "1"];
        relay.Stall(down: Middle);

        await KillStalledAsync(relay, arguments, () => Largest(Folder.Path, ".*") >= Certain);
        Assert.False(File.Exists(Folder["copy.bin"]));
        JsonElement got = await RunJsonAsync(arguments);

        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["copy.bin"]));
        Assert.InRange(got.GetProperty("sent").GetInt64(), Length - Middle, Length - Certain);
    }

    [Fact]
    public async Task Killed_delta_is_resumed_by_the_same_command()
    {
        // The server has the second half of it.
        Write("served/one.bin", Length);
        byte[] content = [.. Content.Random(Length, 77), .. _content];
        await File.WriteAllBytesAsync(Folder["one.bin"], content);
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["put", "one.bin", relay.Files + "one.bin", "--delta", "always"];
        relay.Stall(up: Middle);

        await KillStalledAsync(relay, arguments, () => Largest(Folder["served/.millrace"], "*") >= Certain);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        JsonElement put = await RunJsonAsync(arguments);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        Assert.InRange(put.GetProperty("sent").GetInt64(), Length - Middle, Length - Certain);
        Assert.Equal(Length, put.GetProperty("reused").GetInt64());
    }

    [Fact]
    public async Task Killed_download_of_changes_is_resumed_by_the_same_command()
    {
        byte[] content = [.. Content.Random(Length, 77), .. _content];
        Directory.CreateDirectory(Folder["served"]);
        await File.WriteAllBytesAsync(Folder["served/one.bin"], content);
        await File.WriteAllBytesAsync(Folder["copy.bin"], _content);
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["get", relay.Files + "one.bin", "copy.bin", "--connections", "1", "--delta", "always"];
        relay.Stall(down: Middle);

        await KillStalledAsync(relay, arguments, () => File.Exists(Folder[".copy.bin.millrace-part.json"]));
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["copy.bin"]));
        JsonElement got = await RunJsonAsync(arguments);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["copy.bin"]));
        Assert.InRange(got.GetProperty("sent").GetInt64(), Length - Middle, Length);
    }

    [Fact]
    public async Task No_continue_starts_over()
    {
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["put", "one.bin", relay.Files + "one.bin"];
        relay.Stall(up: Middle);

        await KillStalledAsync(relay, arguments, static () => true);
        JsonElement put = await RunJsonAsync([.. arguments, "--no-continue"]);

        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        Assert.Equal(Length, put.GetProperty("sent").GetInt64());
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("put")]
    [InlineData("get")]
    public async Task Ctrl_c_stops_and_names_how_to_resume(string command)
    {
        using ServedCommand server = await ServeAsync("served");
        if (command == "get")
        {
            Write("served/one.bin", Length);
            File.Delete(Folder["one.bin"]);
        }

        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(up: command == "put" ? Middle : long.MaxValue, down: command == "get" ? Middle : long.MaxValue);
        string[] arguments = command == "put" ? ["put", "one.bin", relay.Files] : ["get", relay.Files + "one.bin", "--connections", "1"];

        Process stopped = Start(arguments);
        await relay.StalledAsync();
        Command.Signal(stopped, Command.Interrupt);
        (int exitCode, _, string error) = await EndAsync(stopped);
        relay.CutAndRelease();

        Assert.True(exitCode == 130, error);
        Assert.Contains($"millrace {command}: stopped; 0 of 1 file", error, StringComparison.Ordinal);
        Assert.Contains("The same command resumes", error, StringComparison.Ordinal);
        JsonElement line = await RunJsonAsync(arguments);
        Assert.InRange(line.GetProperty("sent").GetInt64(), Length - Middle, Length - 1);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["one.bin"]));
    }

    [Fact]
    public async Task Upload_resumes_after_the_server_was_killed_and_restarted()
    {
        KeepsPorts = true;
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(up: Middle);

        Process put = Start(["put", "one.bin", relay.Files + "one.bin", "--json"]);
        await relay.StalledAsync();
        await server.KillAsync();
        relay.CutAndRelease();
        await server.StartAgainAsync();
        (int exitCode, string output, string error) = await EndAsync(put);

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["served/one.bin"]));
        Assert.True(Assert.Single(Lines(output)).GetProperty("attempts").GetInt32() > 1, output);
    }

    /// <summary>The bytes of the largest file: sockets and pipes lose theirs when a connection is cut.</summary>
    private static long Largest(string folder, string names) => new DirectoryInfo(folder)
        .EnumerateFiles(names, new EnumerationOptions { RecurseSubdirectories = names == "*", AttributesToSkip = FileAttributes.None })
        .Select(file => file.Length).DefaultIfEmpty(0).Max();

    /// <summary>Kills a command whose transfer stalls, once enough is written.</summary>
    private async Task KillStalledAsync(StallingRelay relay, string[] arguments, Func<bool> isWritten)
    {
        Process killed = Start(arguments);
        await relay.StalledAsync();
        await Bounded.UntilAsync(isWritten);
        killed.Kill();
        await TestProcess.WaitAsync(killed);
        relay.CutAndRelease();
    }
}
