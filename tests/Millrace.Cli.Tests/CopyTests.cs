using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests;

/// <summary>`millrace copy`, as a process.</summary>
public sealed partial class CopyTests : CommandTests
{
    private readonly byte[] _content = new byte[300_001];

    public CopyTests()
    {
        new Random(5).NextBytes(_content);
        File.WriteAllBytes(Folder["one.bin"], _content);
        File.WriteAllText(Folder["two.txt"], "two");
    }

    [Fact]
    public async Task Copied_file_is_reported_with_method_and_speed()
    {
        (int exitCode, string output, string error) = await RunAsync("copy", "one.bin", "copy.bin");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["copy.bin"]));
        Assert.Matches(@"^Copied one\.bin to copy\.bin, 293 KiB, in [\d.]+ m?s \(.+/s\): (reflink|copy_file_range|read and write)\.\s*$", output);
        Assert.Empty(error);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task Files_are_copied_into_a_folder()
    {
        Directory.CreateDirectory(Folder["into"]);

        string output = await SucceedAsync("copy", "one.bin", "two.txt", "into", "--verify", "--durability", "none");
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["into/one.bin"]));
        Assert.Equal("two", await File.ReadAllTextAsync(Folder["into/two.txt"]));
        Assert.StartsWith("Copied 2 files, 293 KiB, in ", output, StringComparison.Ordinal);
        Assert.Contains("; verified.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_is_copied_with_what_is_in_it()
    {
        Directory.CreateDirectory(Folder["tree/sub/empty"]);
        File.Move(Folder["one.bin"], Folder["tree/sub/one.bin"]);
        File.Move(Folder["two.txt"], Folder["tree/two.txt"]);

        await SucceedAsync("copy", "-r", "tree", "new");
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["new/sub/one.bin"]));
        Assert.Equal("two", await File.ReadAllTextAsync(Folder["new/two.txt"]));
        Assert.True(Directory.Exists(Folder["new/sub/empty"]));

        // The second time there is a folder to copy into.
        await SucceedAsync("copy", "-r", "tree", "new");
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["new/tree/sub/one.bin"]));
    }

    [NeedsTheory(Need.Mount)]
    [InlineData(-100_000_000_000)]
    [InlineData(-30_000_000_000)]
    [InlineData(10_413_792_000)]
    [InlineData(253_402_300_800)]
    public async Task A_folder_and_a_file_of_any_date_are_copied_with_it(long seconds)
    {
        using MountedDisk disk = MountedDisk.InMemory(1 << 20, Folder["disk"]);
        Directory.CreateDirectory(disk["tree"]);
        File.Move(Folder["two.txt"], disk["tree/two.txt"]);
        Shell.Run("touch", "-d", $"@{seconds}.123456789", disk["tree/two.txt"], disk["tree"]);

        await SucceedAsync("copy", "-rp", "disk/tree", "disk/copy");

        Assert.Equal(
            Shell.Run("stat", "-c", "%y", disk["tree/two.txt"], disk["tree"]),
            Shell.Run("stat", "-c", "%y", disk["copy/two.txt"], disk["copy"]));
    }

    [NeedsFact(Need.Linux)]
    [SupportedOSPlatform("linux")]
    public async Task A_copied_folder_gives_its_group_no_more_than_the_source_does()
    {
        const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        const UnixFileMode Mask = UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute;
        Directory.CreateDirectory(Folder["tree"]);
        AccessLists.Set(Folder["tree"]);
        File.SetUnixFileMode(Folder["tree"], Owner | Mask);

        await SucceedAsync("copy", "-rp", "tree", "new");

        Assert.Equal(Owner, File.GetUnixFileMode(Folder["new"]));
    }

    [NeedsFact(Need.Links)]
    public async Task A_link_in_a_folder_is_copied_as_a_link()
    {
        Directory.CreateDirectory(Folder["tree"]);
        File.CreateSymbolicLink(Folder["tree/link"], "sub/one.bin");

        await SucceedAsync("copy", "-r", "tree", "new");
        Assert.Equal("sub/one.bin", new FileInfo(Folder["new/link"]).LinkTarget);
    }

    [Fact]
    public async Task Folder_without_recursive_or_into_itself_is_rejected()
    {
        Directory.CreateDirectory(Folder["tree/sub"]);

        string error = await FailAsync("copy", "tree", "new");
        Assert.Contains("--recursive", error, StringComparison.Ordinal);

        error = await FailAsync("copy", "-r", "tree", "tree/sub");
        Assert.Contains("into itself", error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(Folder["tree/sub"]));
    }

    [Theory]
    [InlineData("missing.bin", "copy.bin")]
    [InlineData("one.bin", "two.txt", "missing-folder")]
    [InlineData("one.bin", "missing-folder/")]
    [InlineData("one.bin", "copy.bin", "--preserve", "owner")]
    [InlineData("one.bin", "copy.bin", "--durability", "maybe")]
    [InlineData("one.bin")]
    public async Task Invalid_arguments_are_reported_and_nothing_is_copied(params string[] arguments)
    {
        string error = await FailAsync(["copy", .. arguments]);
        Assert.NotEmpty(error);
        Assert.Equal(["one.bin", "two.txt"], Folder.Names);
    }

    [Fact]
    public async Task A_file_that_cannot_be_copied_is_named_and_the_others_are_copied()
    {
        Directory.CreateDirectory(Folder["into"]);
        await File.WriteAllTextAsync(Folder["into/one.bin"], "old");

        (int exitCode, string output, string error) = await RunAsync("copy", "one.bin", "two.txt", "into", "--create-new");

        Assert.Equal(3, exitCode);
        Assert.StartsWith("millrace copy: ", error, StringComparison.Ordinal);
        Assert.Contains(Path.Combine("into", "one.bin"), error, StringComparison.Ordinal);
        Assert.Equal("old", await File.ReadAllTextAsync(Folder["into/one.bin"]));
        Assert.Equal("two", await File.ReadAllTextAsync(Folder["into/two.txt"]));
        Assert.Contains("two.txt", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_is_not_copied_to_itself()
    {
        (int exitCode, _, string error) = await RunAsync("copy", "one.bin", ".");

        Assert.Equal(3, exitCode);
        Assert.Contains("same file", error, StringComparison.Ordinal);
        Assert.Equal(_content, await File.ReadAllBytesAsync(Folder["one.bin"]));
    }

    [Fact]
    public async Task Json_reports_every_file()
    {
        Directory.CreateDirectory(Folder["into"]);

        (int exitCode, string output, _) = await RunAsync("copy", "one.bin", "two.txt", "into", "--json", "--verify");

        Assert.Equal(0, exitCode);
        using var json = JsonDocument.Parse(output);
        JsonElement first = json.RootElement.GetProperty("files")[0];
        Assert.Equal("one.bin", first.GetProperty("source").GetString());
        Assert.Equal(_content.Length, first.GetProperty("bytes").GetInt64());
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(_content)), first.GetProperty("sha256").GetString());
        Assert.Equal(_content.Length + 3, json.RootElement.GetProperty("bytes").GetInt64());
        Assert.Equal(0, json.RootElement.GetProperty("exitCode").GetInt32());
    }

    [Fact]
    public async Task Quiet_prints_nothing()
    {
        (int exitCode, string output, string error) = await RunAsync("copy", "-q", "one.bin", "copy.bin");

        Assert.Equal((0, "", ""), (exitCode, output, error));
        Assert.True(File.Exists(Folder["copy.bin"]));
    }

    [Fact]
    public async Task Times_are_kept_unless_they_are_not_wanted()
    {
        Write("one.bin", 10);
        LocalTime.Set(Folder["one.bin"], new FileTime(1_500_000_000, 123_456_789));
        await SucceedAsync("copy", "one.bin", "copy.bin");
        Assert.Equal(LocalTime.Of(Folder["one.bin"]), LocalTime.Of(Folder["copy.bin"]));
        await SucceedAsync("copy", "--no-times", "one.bin", "copy.bin");
        Assert.True(LocalTime.Of(Folder["copy.bin"]).Seconds > 1_700_000_000);
        Assert.Contains("exclude each other", await FailAsync("copy", "--no-times", "--preserve", "times", "one.bin", "copy.bin"), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Times_and_permissions_are_preserved_when_asked_for()
    {
        var then = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(Folder["one.bin"], then);

        await SucceedAsync("copy", "one.bin", "copy.bin", "--preserve", "mode,times");
        Assert.Equal(then, File.GetLastWriteTimeUtc(Folder["copy.bin"]));
    }

    [NeedsFact(Need.Unix)]
    public async Task Interrupt_leaves_no_partial_file()
    {
        // Windows has no way to send Ctrl-C to one process only, and no FIFOs.
        // A FIFO that is never closed: the copy is under way until it is stopped.
        Assert.Equal(0, MakeFifo(Folder["fifo"], 0x180));
        await using var feed = new FileStream(
            Folder["fifo"], FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        Process process = Start(["copy", "fifo", "copy.bin"]);

        // More than a FIFO holds: it has been opened and read when this is done.
        await Task.Run(() => feed.Write(new byte[200_000]));
        Assert.Contains(Folder.Names, name => name.StartsWith(".millrace-", StringComparison.Ordinal));
        Command.Signal(process, Command.Interrupt);
        Task<string> error = process.StandardError.ReadToEndAsync();
        await TestProcess.WaitAsync(process);

        Assert.True(process.ExitCode == 130, await error);
        Assert.Contains("stopped", await error, StringComparison.Ordinal);
        Assert.Equal(["fifo", "one.bin", "two.txt"], Folder.Names);
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFifo(string path, uint mode);
}
