using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests;

/// <summary>`millrace scan` on files of every shape.</summary>
public sealed class ScanTests : CommandTests
{
    [Theory]
    [InlineData("", 0)]
    [InlineData("\n", 1)]
    [InlineData("one\ntwo\n", 2)]
    [InlineData("\n\n\n", 3)]
    public async Task Lines_are_counted_by_default(string text, int lines)
    {
        string path = Write("text", text);

        (int exitCode, string output, string error) = await RunAsync("scan", path, "--quiet");

        Assert.Equal(0, exitCode);
        Assert.Equal($"{lines} {path}\n", output);
        Assert.Empty(error);
    }

    [Fact]
    public async Task Line_count_of_a_large_file_equals_that_of_wc_for_any_number_of_readers()
    {
        string path = Write("log", LogText(100_000));
        string expected = OperatingSystem.IsWindows() ? $"100000 {path}\n" : await SystemAsync("wc", "-l", path);

        foreach (string degree in new[] { "1", "2", "7" })
        {
            Assert.Equal(expected, (await RunAsync("scan", path, "--degree", degree)).Output);
        }

        Assert.Equal(expected, (await RunAsync("scan", path)).Output);
    }

    [Fact]
    public async Task Last_line_without_an_end_is_reported_separately()
    {
        string path = Write("text", "one\ntwo\nthree");

        (int exitCode, string output, string error) = await RunAsync("scan", path);

        Assert.Equal(0, exitCode);
        Assert.Equal($"2 {path}\n", output);
        Assert.Contains("its last line, 5 bytes, is not counted", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(",", "a,b,,c", 4)]
    [InlineData(",", "a,b,,c,", 4)]
    [InlineData("0x2C", "a,b", 2)]
    [InlineData(@"\t", "a\tb\tc\n", 3)]
    [InlineData(@"\0", "a\0b\0", 2)]
    [InlineData(",", "", 0)]
    public async Task Records_end_with_a_delimiter_or_with_the_file(string delimiter, string text, int records)
    {
        string path = Write("text", text);

        Assert.Equal(
            $"{records} {path}\n", (await RunAsync("scan", path, "--delimiter", delimiter)).Output);
    }

    [Fact]
    public async Task Fixed_size_records_are_counted_and_the_rest_is_reported()
    {
        string path = Write("text", new string('x', 1_003));

        (int exitCode, string output, string error) = await RunAsync("scan", path, "--record-size", "10", "--degree", "3");

        Assert.Equal(0, exitCode);
        Assert.Equal($"100 {path}\n", output);
        Assert.Contains("ends with 3 bytes", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Bytes_are_counted_by_reading_them()
    {
        string path = Write("text", new string('x', 10_000_003));

        (_, string output, string error) = await RunAsync("scan", path, "--count", "bytes", "--degree", "2");

        Assert.Equal($"10000003 {path}\n", output);
        Assert.Contains("10000003 bytes in ", error, StringComparison.Ordinal);
        Assert.Contains("2 readers", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("2")]
    [InlineData("5")]
    public async Task Lines_that_contain_a_text_are_found(string degree)
    {
        string text = LogText(50_000) + "unterminated 77";
        string path = Write("log", text);
        int expected = text.Split('\n').Count(line => line.Contains("77", StringComparison.Ordinal));

        (_, string output, _) = await RunAsync("scan", path, "--find", "77", "--degree", degree);

        Assert.Equal($"{expected} {path}\n", output);
    }

    [Fact]
    public async Task A_line_longer_than_any_buffer_is_searched_too()
    {
        string path = Write("long", new string('x', 3_000_000) + "needle" + new string('x', 3_000_000) + "needle\nneedle\n\n");

        Assert.Equal($"2 {path}\n", (await RunAsync("scan", path, "--find", "needle")).Output);
    }

    [Theory]
    [InlineData(7)]
    [InlineData(300)]
    [InlineData(1_000_000)]
    public async Task Fixed_size_records_that_contain_a_text_are_found(int size)
    {
        string text = string.Concat(Enumerable.Range(0, 200_000).Select(number => $"{number % 113}ab"));
        string path = Write("records", text);
        int expected = text.Chunk(size).Count(record => record.AsSpan().IndexOf("9ab1") >= 0);

        (_, string output, _) = await RunAsync("scan", path, "--find", "9ab1", "--record-size", $"{size}", "--degree", "3");

        Assert.Equal($"{expected} {path}\n", output);
    }

    [Fact]
    public async Task Integers_are_added_up_without_overflow()
    {
        long[] numbers = [.. Enumerable.Range(0, 100_000).Select(number => long.MaxValue - (number * 7919L)), long.MinValue, -1];
        byte[] bytes = new byte[(numbers.Length * sizeof(long)) + 3];
        for (int i = 0; i < numbers.Length; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(i * sizeof(long)), numbers[i]);
        }

        string path = Folder["numbers"];
        await File.WriteAllBytesAsync(path, bytes);
        BigInteger expected = numbers.Aggregate(BigInteger.Zero, (sum, number) => sum + number);

        foreach (string degree in new[] { "1", "3" })
        {
            (_, string output, string error) =
                await RunAsync("scan", path, "--sum", "int64", "--degree", degree);
            Assert.Equal($"{expected} {path}\n", output);
            Assert.Contains("3 bytes that are not a whole number", error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Several_files_have_a_total()
    {
        string one = Write("one", "1\n");
        string two = Write("two", "1\n2\n");

        (int exitCode, string output, _) = await RunAsync("scan", one, two);

        Assert.Equal(0, exitCode);
        Assert.Equal($"1 {one}\n2 {two}\n3 total\n", output);
    }

    [Fact]
    public async Task A_file_that_cannot_be_scanned_is_named_and_the_others_are_scanned()
    {
        string path = Write("there", "1\n");

        (int exitCode, string output, string error) = await RunAsync("scan", "missing", path, Folder.Path);

        Assert.Equal(3, exitCode);
        Assert.Equal($"1 {path}\n1 total\n", output);
        Assert.Contains("millrace scan: Cannot open 'missing'", error, StringComparison.Ordinal);
        Assert.Contains($"'{Folder.Path}'", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_has_every_file_and_the_total()
    {
        string path = Write("lines", "1\n2\n3");

        (int exitCode, string output, _) = await RunAsync("scan", path, "missing", "--json");

        Assert.Equal(3, exitCode);
        using var document = JsonDocument.Parse(output);
        JsonElement root = document.RootElement;
        Assert.Equal("lines", root.GetProperty("what").GetString());
        Assert.Equal(2, root.GetProperty("count").GetInt64());
        Assert.Equal(5, root.GetProperty("bytes").GetInt64());
        Assert.False(root.GetProperty("stopped").GetBoolean());
        JsonElement[] files = [.. root.GetProperty("files").EnumerateArray()];
        Assert.Equal(path, files[0].GetProperty("path").GetString());
        Assert.Equal(2, files[0].GetProperty("count").GetInt64());
        Assert.Equal(1, files[0].GetProperty("restBytes").GetInt64());
        Assert.Equal(1, files[0].GetProperty("readers").GetInt32());
        Assert.Contains("missing", files[1].GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.False(files[1].TryGetProperty("count", out _));
    }

    [NeedsFact(Need.Unix)]
    public async Task Interrupt_ends_a_scan_that_waits()
    {
        // Windows has no way to send Ctrl-C to one process only.
        string fifo = Folder["fifo"];
        await SystemAsync("mkfifo", fifo);
        string path = Write("there", "1\n");
        Process process = Start(["scan", path, fifo]);
        Task<string> error = process.StandardError.ReadToEndAsync();

        // Opening waits until the other end is open: the command has begun, and waits for bytes that do not come.
        await using FileStream writer = await Task.Run(() => new FileStream(fifo, FileMode.Open, FileAccess.Write));
        Command.Signal(process, Command.Interrupt);
        string output = await process.StandardOutput.ReadToEndAsync();
        await TestProcess.WaitAsync(process);

        Assert.Equal(130, process.ExitCode);
        Assert.Equal($"1 {path}\n", output);
        Assert.Contains("stopped after 1 of 2 files", await error, StringComparison.Ordinal);
    }

    private static string LogText(int lines) =>
        string.Concat(Enumerable.Range(0, lines).Select(number => $"{number} {new string('x', number % 61)}\n"));

    private static async Task<string> SystemAsync(string program, params string[] arguments)
    {
        using Process process = Process.Start(
            new ProcessStartInfo(program, arguments) { UseShellExecute = false, RedirectStandardOutput = true })!;
        string output = await process.StandardOutput.ReadToEndAsync();
        await TestProcess.WaitAsync(process);
        Assert.Equal(0, process.ExitCode);
        return output;
    }

    private string Write(string name, string text)
    {
        string path = Folder[name];
        File.WriteAllText(path, text, Encoding.Latin1);
        return path;
    }
}
