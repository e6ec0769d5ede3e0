using System.Diagnostics;
using System.Globalization;

namespace Millrace.Samples.Tests;

/// <summary>The sample of a write-ahead log, as a process that is killed and started again.</summary>
public sealed class WriteAheadLogTests : FolderTests
{
    [Fact]
    public async Task Acknowledged_records_survive_a_kill()
    {
        string path = Folder["log"];
        using (Process process = Start(path))
        {
            Assert.Equal("replayed 0, cut off 0 bytes", await HearAsync(process));
            for (int i = 0; i < 20; i++)
            {
                Assert.Equal($"ok key{i % 7}", await AskAsync(process, string.Create(CultureInfo.InvariantCulture, $"set key{i % 7} value {i}")));
            }

            process.Kill();
            await TestProcess.WaitAsync(process);
        }

        using Process again = Start(path);
        Assert.Equal("replayed 7, cut off 0 bytes", await HearAsync(again));
        Assert.Equal("value 19", await AskAsync(again, "get key5"));
        Assert.Equal("value 13", await AskAsync(again, "get key6"));
        Assert.Equal("(none)", await AskAsync(again, "get key7"));
        await EndAsync(again);
    }

    [Theory]
    [InlineData(new byte[] { 20, 0, 0, 0, 1, 2, 3, 4, (byte)'k' })]
    [InlineData(new byte[] { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 })]
    [InlineData(new byte[] { 2, 0, 0, 0, 1, 2, 3, 4, (byte)'k', 0 })]
    [InlineData(new byte[] { 1 })]
    public async Task An_incomplete_last_record_is_cut_off_after_a_crash(byte[] rest)
    {
        string path = Folder["log"];
        using (Process process = Start(path))
        {
            await HearAsync(process);
            await AskAsync(process, "set key value");
            await EndAsync(process);
        }

        await File.AppendAllBytesAsync(path, rest);
        using (Process process = Start(path))
        {
            Assert.Equal($"replayed 1, cut off {rest.Length} bytes", await HearAsync(process));
            Assert.Equal("ok other", await AskAsync(process, "set other one"));
            await EndAsync(process);
        }

        using Process again = Start(path);
        Assert.Equal("replayed 2, cut off 0 bytes", await HearAsync(again));
        Assert.Equal("one", await AskAsync(again, "get other"));
        await EndAsync(again);
    }

    private static Process Start(string path) => Sample.Start("WriteAheadLog", path);

    private static async Task<string?> AskAsync(Process process, string command)
    {
        await process.StandardInput.WriteLineAsync(command);
        await process.StandardInput.FlushAsync();
        return await HearAsync(process);
    }

    private static async Task<string> HearAsync(Process process) =>
        await Sample.ReadLineAsync(process)
            ?? throw new InvalidOperationException(await process.StandardError.ReadToEndAsync());

    private static async Task EndAsync(Process process)
    {
        process.StandardInput.Close();
        await TestProcess.WaitAsync(process);
        Assert.Equal(0, process.ExitCode);
    }
}
