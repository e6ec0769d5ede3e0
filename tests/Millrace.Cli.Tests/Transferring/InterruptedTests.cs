using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Transfers that are killed, stopped and cut in their middle.</summary>
public sealed partial class InterruptedTests : IDisposable
{
    private const int Length = 16 * 1024 * 1024;
    private const int Middle = 6 * 1024 * 1024;

    /// <summary>Of what was let through, at least so much is counted by the other end when its connection is cut.</summary>
    private const int Certain = 4 * 1024 * 1024;

    private const int Interrupt = 2;

    private readonly TransferFolder _folder = new();
    private readonly byte[] _content;

    public InterruptedTests() => _content = _folder.Write("one.bin", Length);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Killed_upload_is_resumed_by_the_same_command()
    {
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["put", "one.bin", relay.Files + "one.bin"];
        relay.Stall(up: Middle);

        Process killed = _folder.Start(arguments);
        await relay.StalledAsync();
        killed.Kill();
        await Command.WaitAsync(killed);
        relay.CutAndRelease();
        Assert.Empty(_folder.Digests("served"));
        JsonElement put = await _folder.RunJsonAsync(arguments);

        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["served/one.bin"]));
        Assert.InRange(put.GetProperty("sent").GetInt64(), Length - Middle, Length - Certain);
    }

    [Fact]
    public async Task Killed_download_is_resumed_by_the_same_command()
    {
        _folder.Write("served/one.bin", Length);
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["get", relay.Files + "one.bin", "copy.bin", "--connections", "1"];
        relay.Stall(down: Middle);

        Process killed = _folder.Start(arguments);
        await relay.StalledAsync();
        await WrittenAsync();
        killed.Kill();
        await Command.WaitAsync(killed);
        relay.CutAndRelease();
        Assert.False(File.Exists(_folder["copy.bin"]));
        JsonElement got = await _folder.RunJsonAsync(arguments);

        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["copy.bin"]));
        Assert.InRange(got.GetProperty("sent").GetInt64(), Length - Middle, Length - Certain);
    }

    [Fact]
    public async Task No_continue_starts_over()
    {
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        await using var relay = new StallingRelay(() => server.Port);
        string[] arguments = ["put", "one.bin", relay.Files + "one.bin"];
        relay.Stall(up: Middle);

        Process killed = _folder.Start(arguments);
        await relay.StalledAsync();
        killed.Kill();
        await Command.WaitAsync(killed);
        relay.CutAndRelease();
        JsonElement put = await _folder.RunJsonAsync([.. arguments, "--no-continue"]);

        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["served/one.bin"]));
        Assert.Equal(Length, put.GetProperty("sent").GetInt64());
    }

    [Theory]
    [InlineData("put")]
    [InlineData("get")]
    public async Task Ctrl_c_stops_and_names_how_to_resume(string command)
    {
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        if (command == "get")
        {
            _folder.Write("served/one.bin", Length);
            File.Delete(_folder["one.bin"]);
        }

        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(up: command == "put" ? Middle : long.MaxValue, down: command == "get" ? Middle : long.MaxValue);
        string[] arguments = command == "put" ? ["put", "one.bin", relay.Files] : ["get", relay.Files + "one.bin", "--connections", "1"];

        Process stopped = _folder.Start(arguments);
        await relay.StalledAsync();
        Assert.Equal(0, Kill(stopped.Id, Interrupt));
        (int exitCode, _, string error) = await TransferFolder.EndAsync(stopped);
        relay.CutAndRelease();

        Assert.True(exitCode == 130, error);
        Assert.Contains($"millrace {command}: stopped; 0 of 1 file", error, StringComparison.Ordinal);
        Assert.Contains("The same command resumes", error, StringComparison.Ordinal);
        JsonElement line = await _folder.RunJsonAsync(arguments);
        Assert.InRange(line.GetProperty("sent").GetInt64(), Length - Middle, Length - 1);
        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["served/one.bin"]));
        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["one.bin"]));
    }

    [Fact]
    public async Task Upload_resumes_after_the_server_was_killed_and_restarted()
    {
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        await using var relay = new StallingRelay(() => server.Port);
        relay.Stall(up: Middle);

        Process put = _folder.Start(["put", "one.bin", relay.Files + "one.bin", "--json"]);
        await relay.StalledAsync();
        await server.KillAsync();
        relay.CutAndRelease();
        await server.StartAgainAsync();
        (int exitCode, string output, string error) = await TransferFolder.EndAsync(put);

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(_folder["served/one.bin"]));
        Assert.True(Assert.Single(TransferFolder.Lines(output)).GetProperty("attempts").GetInt32() > 1, output);
    }

    /// <summary>Until the client has written what came: its socket and its pipe may still hold some.</summary>
    private async Task WrittenAsync()
    {
        for (int tries = 0; Largest() < Certain; tries++)
        {
            Assert.True(tries < 1200, "The client wrote nothing within two minutes.");
            await Task.Delay(100);
        }

        long Largest() => new DirectoryInfo(_folder.Path)
            .EnumerateFiles(".*").Select(file => file.Length).DefaultIfEmpty(0).Max();
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);
}
