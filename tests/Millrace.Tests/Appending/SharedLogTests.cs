using System.Globalization;
using System.Text;
using Millrace.Appending;
using Millrace.Interop;

namespace Millrace.Tests.Appending;

/// <summary>Several writers of one file.</summary>
public sealed class SharedLogTests
{
    [Theory, EveryValue]
    public async Task Records_of_many_writers_are_complete_unique_and_in_each_writers_order(bool portable, Durability durability)
    {
        const int Writers = 16;
        const int Records = 60;
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, Writers).Select(_ => Logs.Open(path, portable, durability))];
        await Task.WhenAll(writers.Select((writer, number) => Task.Run(async () =>
        {
            for (int i = 0; i < Records; i++)
            {
                await writer.WriteAsync(Record(number, i));
                Assert.True(writer.LastFlushOffset >= 0);
            }
        })));
        await Logs.DisposeAsync(writers);

        int[] next = new int[Writers];
        foreach (string line in await File.ReadAllLinesAsync(path))
        {
            int number = int.Parse(line.Split(' ')[0], CultureInfo.InvariantCulture);
            Assert.Equal(Encoding.ASCII.GetString(Record(number, next[number]++)), line + "\n");
        }

        Assert.All(next, count => Assert.Equal(Records, count));
    }

    [Theory, EveryValue]
    public async Task A_piece_larger_than_any_block_is_not_interleaved(bool portable, Durability durability)
    {
        const int Length = 1_500_000;
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, 4).Select(_ => Logs.Open(path, portable, durability))];
        await Task.WhenAll(writers.Select((writer, number) => Task.Run(async () =>
        {
            byte[] piece = new byte[Length];
            piece.AsSpan().Fill((byte)number);
            await writer.WriteAsync(piece);
            await writer.WriteAsync(piece);
        })));
        await Logs.DisposeAsync(writers);

        byte[] bytes = await File.ReadAllBytesAsync(path);
        Assert.Equal(8 * Length, bytes.Length);
        for (int start = 0; start < bytes.Length; start += Length)
        {
            Assert.Equal(-1, bytes.AsSpan(start, Length).IndexOfAnyExcept(bytes[start]));
        }
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Flushes_of_a_busy_file_share_one_write_and_one_device_flush(bool portable)
    {
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, 40).Select(_ => Logs.Open(path, portable))];
        AppendLog log = Logs.LogOf(writers[0]);
        Assert.True(log.TryEnter());
        Task<FlushResult>[] flushes = [.. writers.Select((writer, i) => Logs.Flush(writer, TestContent.Between(i * 100, (i * 100) + 100)))];
        log.Leave();
        await Task.WhenAll(flushes).Soon();

        Assert.Equal(1, log.Writes);
        Assert.Equal(1, log.Flushes);
        Assert.Equal(TestContent.Of(4000).ToArray(), await File.ReadAllBytesAsync(path));
        Assert.Equal(Enumerable.Range(0, 40).Select(i => 100L * i), writers.Select(writer => writer.LastFlushOffset));
        await Logs.DisposeAsync(writers);
    }

    [NeedsFact(Need.Unix)]
    public async Task More_pieces_than_one_system_call_accepts_are_all_appended()
    {
        string path = TestFolder.NewPath();
        FileAppendWriter[] writers = [.. Enumerable.Range(0, 1500).Select(_ => Logs.Open(path, portable: false, Durability.None))];
        AppendLog log = Logs.LogOf(writers[0]);
        Assert.True(log.TryEnter());
        Task<FlushResult>[] flushes = [.. writers.Select((writer, i) => Logs.Flush(writer, TestContent.Between(i * 10, (i * 10) + 10)))];
        log.Leave();
        await Task.WhenAll(flushes).Soon();

        Assert.Equal(TestContent.Of(15_000).ToArray(), await File.ReadAllBytesAsync(path));
        await Logs.DisposeAsync(writers);
    }

    [Fact]
    public async Task A_flush_without_durability_completes_synchronously_on_an_idle_file()
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable: false, Durability.None);

        Assert.True(writer.WriteAsync(TestContent.Of(100)).AsTask().IsCompletedSuccessfully);
        Assert.Equal(0, Logs.LogOf(writer).Flushes);
    }

    [Fact]
    public async Task Without_durable_flushes_only_a_flush_to_the_device_waits_for_it()
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable: false, Durability.OnCommit);
        AppendLog log = Logs.LogOf(writer);
        await writer.WriteAsync(TestContent.Of(100));
        Assert.Equal(0, log.Flushes);

        await writer.FlushToDeviceAsync();

        Assert.Equal(1, log.Flushes);
    }

    [Fact]
    public async Task A_flush_without_new_bytes_does_not_wait_for_the_device_again()
    {
        await using FileAppendWriter writer = Logs.Open(TestFolder.NewPath(), portable: false);
        await writer.WriteAsync(TestContent.Of(100));
        await writer.FlushAsync();
        await writer.FlushAsync();

        Assert.Equal(1, Logs.LogOf(writer).Flushes);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Several_names_of_one_file_share_one_log(bool portable)
    {
        using var folder = new TemporaryFolder();
        await using FileAppendWriter one = Logs.Open(folder["log"], portable);
        File.CreateSymbolicLink(folder["link"], folder["log"]);
        await using FileAppendWriter other = Logs.Open(folder["link"], portable);

        Assert.Same(Logs.LogOf(one), Logs.LogOf(other));
    }

    [NeedsFact(Need.Native)]
    public async Task After_a_rotation_old_writers_stay_with_the_renamed_file()
    {
        using var folder = new TemporaryFolder();
        await using FileAppendWriter old = FilePipe.Append(folder["log"]);
        await old.WriteAsync(TestContent.Of(10));
        File.Move(folder["log"], folder["log.1"]);
        await using FileAppendWriter young = FilePipe.Append(folder["log"]);
        await old.WriteAsync(TestContent.Of(10));
        await young.WriteAsync(TestContent.Of(5));

        Assert.Equal(20, new FileInfo(folder["log.1"]).Length);
        Assert.Equal(5, new FileInfo(folder["log"]).Length);
    }

    [NeedsFact(Need.Unix)]
    public async Task After_a_foreign_truncation_pieces_go_to_the_new_end()
    {
        string path = TestFolder.NewFile(1000);
        await using FileAppendWriter writer = FilePipe.Append(path);
        await writer.WriteAsync(TestContent.Of(10));
        await using (FileStream other = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            other.SetLength(0);
        }

        await writer.WriteAsync(TestContent.Of(10));

        Assert.Equal(0, writer.LastFlushOffset);
        Assert.Equal(TestContent.Of(10).ToArray(), await File.ReadAllBytesAsync(path));
    }

    private static byte[] Record(int writer, int number) => Encoding.ASCII.GetBytes(
        string.Create(CultureInfo.InvariantCulture, $"{writer} {number} {new string('x', (writer * 131 + number * 37) % 3000)}\n"));
}
