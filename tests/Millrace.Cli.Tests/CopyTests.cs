using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text.Json;

namespace Millrace.Cli.Tests;

/// <summary>`millrace copy`, as a process.</summary>
public sealed partial class CopyTests : IDisposable
{
    private const int Interrupt = 2;

    private readonly string _folder = Directory.CreateDirectory(
        Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"))).FullName;

    private readonly byte[] _content = new byte[300_001];

    public CopyTests()
    {
        new Random(5).NextBytes(_content);
        File.WriteAllBytes(InFolder("one.bin"), _content);
        File.WriteAllText(InFolder("two.txt"), "two");
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Copied_file_is_reported_with_method_and_speed()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "copy", "one.bin", "copy.bin");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(InFolder("copy.bin")));
        Assert.Matches(@"^Copied one\.bin to copy\.bin, 293 KiB, in [\d.]+ m?s \(.+/s\): (reflink|copy_file_range|read and write)\.\s*$", output);
        Assert.Empty(error);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task Files_are_copied_into_a_folder()
    {
        Directory.CreateDirectory(InFolder("into"));

        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder, "copy", "one.bin", "two.txt", "into", "--verify", "--durability", "none");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(InFolder("into/one.bin")));
        Assert.Equal("two", await File.ReadAllTextAsync(InFolder("into/two.txt")));
        Assert.StartsWith("Copied 2 files, 293 KiB, in ", output, StringComparison.Ordinal);
        Assert.Contains("; verified.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_is_copied_with_what_is_in_it()
    {
        Directory.CreateDirectory(InFolder("tree/sub/empty"));
        File.Move(InFolder("one.bin"), InFolder("tree/sub/one.bin"));
        File.Move(InFolder("two.txt"), InFolder("tree/two.txt"));
        File.CreateSymbolicLink(InFolder("tree/link"), "sub/one.bin");

        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "copy", "-r", "tree", "new");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(InFolder("new/sub/one.bin")));
        Assert.Equal("two", await File.ReadAllTextAsync(InFolder("new/two.txt")));
        Assert.True(Directory.Exists(InFolder("new/sub/empty")));
        Assert.Equal("sub/one.bin", new FileInfo(InFolder("new/link")).LinkTarget);

        // The second time there is a folder to copy into.
        (exitCode, output, error) = await Command.RunAsync(_folder, "copy", "-r", "tree", "new");
        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_content, await File.ReadAllBytesAsync(InFolder("new/tree/sub/one.bin")));
    }

    [Fact]
    public async Task Folder_without_recursive_or_into_itself_is_rejected()
    {
        Directory.CreateDirectory(InFolder("tree/sub"));

        (int exitCode, _, string error) = await Command.RunAsync(_folder, "copy", "tree", "new");
        Assert.Equal(1, exitCode);
        Assert.Contains("--recursive", error, StringComparison.Ordinal);

        (exitCode, _, error) = await Command.RunAsync(_folder, "copy", "-r", "tree", "tree/sub");
        Assert.Equal(1, exitCode);
        Assert.Contains("into itself", error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(InFolder("tree/sub")));
    }

    [Theory]
    [InlineData("missing.bin", "copy.bin")]
    [InlineData("one.bin", "two.txt", "missing-folder")]
    [InlineData("one.bin", "missing-folder/")]
    [InlineData("one.bin", "copy.bin", "--preserve", "owner")]
    [InlineData("one.bin", "copy.bin", "--durability", "maybe")]
    [InlineData("one.bin")]
    public async Task What_cannot_begin_is_told_and_nothing_is_copied(params string[] arguments)
    {
        (int exitCode, _, string error) = await Command.RunAsync(_folder, ["copy", .. arguments]);

        Assert.Equal(1, exitCode);
        Assert.NotEmpty(error);
        Assert.Equal(["one.bin", "two.txt"], Names());
    }

    [Fact]
    public async Task A_file_that_cannot_be_copied_is_named_and_the_others_are_copied()
    {
        Directory.CreateDirectory(InFolder("into"));
        await File.WriteAllTextAsync(InFolder("into/one.bin"), "old");

        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder, "copy", "one.bin", "two.txt", "into", "--create-new");

        Assert.Equal(3, exitCode);
        Assert.StartsWith("millrace copy: ", error, StringComparison.Ordinal);
        Assert.Contains("into/one.bin", error, StringComparison.Ordinal);
        Assert.Equal("old", await File.ReadAllTextAsync(InFolder("into/one.bin")));
        Assert.Equal("two", await File.ReadAllTextAsync(InFolder("into/two.txt")));
        Assert.Contains("two.txt", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_is_not_copied_to_itself()
    {
        (int exitCode, _, string error) = await Command.RunAsync(_folder, "copy", "one.bin", ".");

        Assert.Equal(3, exitCode);
        Assert.Contains("same file", error, StringComparison.Ordinal);
        Assert.Equal(_content, await File.ReadAllBytesAsync(InFolder("one.bin")));
    }

    [Fact]
    public async Task Json_reports_every_file()
    {
        Directory.CreateDirectory(InFolder("into"));

        (int exitCode, string output, _) = await Command.RunAsync(
            _folder, "copy", "one.bin", "two.txt", "into", "--json", "--verify");

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
        (int exitCode, string output, string error) = await Command.RunAsync(_folder, "copy", "-q", "one.bin", "copy.bin");

        Assert.Equal((0, "", ""), (exitCode, output, error));
        Assert.True(File.Exists(InFolder("copy.bin")));
    }

    [Fact]
    public async Task Times_and_permissions_are_preserved_when_asked_for()
    {
        var then = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(InFolder("one.bin"), then);

        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder, "copy", "one.bin", "copy.bin", "--preserve", "mode,times");

        Assert.True(exitCode == 0, output + error);
        Assert.Equal(then, File.GetLastWriteTimeUtc(InFolder("copy.bin")));
    }

    [NeedsFact(Need.Unix)]
    public async Task Interrupt_leaves_no_partial_file()
    {
        // Windows has no way to send Ctrl-C to one process only, and no FIFOs.
        // A FIFO that nobody closes: the copy is under way until it is stopped.
        Assert.Equal(0, MakeFifo(InFolder("fifo"), 0x180));
        await using var feed = new FileStream(
            InFolder("fifo"), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        using Process process = Command.Start(_folder, "copy", "fifo", "copy.bin");

        // More than a FIFO holds: it has been opened and read when this is done.
        await Task.Run(() => feed.Write(new byte[200_000]));
        Assert.Contains(Names(), name => name.StartsWith(".millrace-", StringComparison.Ordinal));
        Assert.Equal(0, Kill(process.Id, Interrupt));
        Task<string> error = process.StandardError.ReadToEndAsync();
        await Command.WaitAsync(process);

        Assert.True(process.ExitCode == 130, await error);
        Assert.Contains("stopped", await error, StringComparison.Ordinal);
        Assert.Equal(["fifo", "one.bin", "two.txt"], Names());
    }

    [Fact]
    public async Task Help_names_every_option_and_exit_code()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "copy", "--help");

        Assert.Equal(0, exitCode);
        string[] expected =
        [
            "--recursive", "--verify", "--preserve <mode,times>", "-p", "--create-new", "--durability <none|commit>",
            "--no-reflink", "--quiet", "--json", "Exit codes:", "130",
        ];
        Assert.All(expected, text => Assert.Contains(text, output, StringComparison.Ordinal));
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFifo(string path, uint mode);

    private string InFolder(string name) => Path.Combine(_folder, name);

    private string[] Names() =>
        [.. Directory.GetFileSystemEntries(_folder).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];
}
