using System.Buffers;
using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;
using Millrace.Kestrel.Interop;

namespace Millrace.Kestrel.Tests;

/// <summary>A connection's output queue, over a socket with a tiny buffer.</summary>
[Collection(nameof(SocketSend.FileCalls))]
public sealed class SocketOutputTests : FolderTests
{
    private readonly BlockPool _pool = new();
    private readonly TaskCompletionSource<Exception?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override void Dispose()
    {
        _pool.Dispose();
        base.Dispose();
    }

    [Theory]
    [EveryValue]
    public async Task Memory_and_file_ranges_in_random_order_arrive_as_their_concatenation(bool native)
    {
        byte[] content = Content.Random(600_000);
        using SafeFileHandle file = File.OpenHandle(Folder.Write("file", content));
        for (int seed = 1; seed <= Soak.Times(12, 300); seed++)
        {
            var random = new Random(seed);
            using var pair = new SocketPair(native);
            using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native), EndWith(pair));
            Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();
            using var expected = new MemoryStream();
            for (int i = random.Next(1, 25); i > 0; i--)
            {
                // Sizes of every order of magnitude.
                int count = random.Next(1, 1 << random.Next(1, 20));
                int offset = random.Next(content.Length - count);
                ReadOnlyMemory<byte> range = content.AsMemory(offset, count);
                expected.Write(range.Span);
                if (random.Next(2) == 0)
                {
                    await WriteFileAsync(output, file, offset, count, random);
                }
                else
                {
                    while (!range.IsEmpty)
                    {
                        Memory<byte> memory = output.GetMemory(random.Next(5000));
                        int part = Math.Min(memory.Length, range.Length);
                        range[..part].CopyTo(memory);
                        output.Advance(part);
                        range = range[part..];
                    }
                }

                if (random.Next(10) == 0)
                {
                    output.Delay(TimeSpan.FromMilliseconds(random.Next(1, 4)));
                }

                if (random.Next(3) == 0)
                {
                    Assert.False((await output.FlushAsync().Soon()).IsCompleted);
                }
            }

            await output.CompleteAsync();
            byte[] all = await received;
            Assert.True(expected.ToArray().AsSpan().SequenceEqual(all), $"seed {seed}");
            Assert.Equal(0, _pool.RentedBytes);
        }
    }

    [Theory]
    [EveryValue]
    public async Task Delayed_writes_arrive_together_when_the_delay_ends(bool native)
    {
        using var pair = new SocketPair(native);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native), EndWith(pair));
        output.Delay(TimeSpan.FromHours(1));
        await output.WriteAsync(new byte[] { 1, 2 });
        await output.WriteAsync(new byte[] { 3 });
        output.Delay(TimeSpan.FromMilliseconds(1));
        byte[] received = new byte[10];
        Assert.Equal(3, await pair.Receiver.ReceiveAsync(received).Soon());
        Assert.Equal([1, 2, 3], received[..3]);

        output.Delay(TimeSpan.FromHours(1));
        await output.WriteAsync(new byte[] { 4 });
        await output.CompleteAsync();
        Assert.Equal([4], await pair.Receiver.ReceiveToEndAsync());
        Assert.Equal(0, _pool.RentedBytes);
    }

    [Theory]
    [EveryValue]
    public async Task Delay_holds_no_more_than_the_write_buffer_and_nothing_of_an_aborted_connection(bool native)
    {
        using var pair = new SocketPair(native);
        MillraceSocketOptions options = Options(native);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, options, EndWith(pair));
        output.Delay(TimeSpan.FromHours(1));
        await output.WriteAsync(new byte[10]);
        ValueTask<FlushResult> flush = output.WriteAsync(new byte[options.WriteBufferBytes]);
        byte[] received = new byte[10];
        Assert.Equal(10, await pair.Receiver.ReceiveAsync(received).Soon());
        output.Abort(new IOException());
        await flush.AsTask().Soon();
        output.Delay(TimeSpan.FromMilliseconds(1));
        await output.CompleteAsync();
        await _ended.Task.Soon();
        await Bounded.UntilAsync(() => _pool.RentedBytes == 0);
    }

    [Fact]
    public async Task Flush_without_a_reader_waits_above_the_threshold_only()
    {
        using var pair = new SocketPair(native: NativeHere);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(NativeHere), EndWith(pair));

        output.Write(new byte[1000]);
        Task<FlushResult> small = output.FlushAsync().AsTask();
        Assert.True(small.IsCompletedSuccessfully);
        ValueTask<FlushResult> flush = output.WriteAsync(new byte[2_000_000]);
        Assert.False(flush.IsCompleted);

        Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();
        await flush.Soon();
        await output.CompleteAsync();
        Assert.Equal(2_001_000, (await received).Length);
    }

    [Fact]
    public async Task Cancelled_flush_throws_and_its_bytes_are_still_sent()
    {
        using var pair = new SocketPair(native: NativeHere);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(NativeHere), EndWith(pair));
        using var cancel = new CancellationTokenSource();

        ValueTask<FlushResult> flush = output.WriteAsync(new byte[2_000_000], cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => flush.Soon());
        ValueTask<FlushResult> again = output.FlushAsync();
        output.CancelPendingFlush();
        Assert.True((await again.Soon()).IsCanceled);

        Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();
        await output.CompleteAsync();
        Assert.Equal(2_000_000, (await received).Length);
    }

    [Theory]
    [EveryValue]
    public async Task File_that_became_shorter_ends_the_connection_with_an_error(bool native)
    {
        byte[] content = Content.Random(1_000_000);
        string path = Folder.Write("file", content);
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using var pair = new SocketPair(native);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native), EndWith(pair));

        WriteFile(output, file, 0, content.Length);
        ValueTask<FlushResult> flush = output.FlushAsync();
        RandomAccess.SetLength(file, 500_000);
        output.Write("other bytes"u8);

        using var received = new MemoryStream();
        byte[] buffer = new byte[65536];
        try
        {
            for (int read; (read = await pair.Receiver.ReceiveAsync(buffer).Soon()) > 0;)
            {
                received.Write(buffer, 0, read);
            }
        }
        catch (SocketException exception)
        {
            Assert.Equal(SocketError.ConnectionReset, exception.SocketErrorCode);
        }

        Assert.True((await flush.Soon()).IsCompleted);
        Assert.IsType<IOException>(await _ended.Task.Soon());
        Assert.Equal(content[..(int)received.Length], received.ToArray());
        await output.CompleteAsync();
        await Bounded.UntilAsync(() => _pool.RentedBytes == 0);
    }

    [Theory]
    [EveryValue]
    public async Task Abort_while_sending_completes_the_flush_and_returns_every_block(bool native)
    {
        using var pair = new SocketPair(native);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native), EndWith(pair));

        ValueTask<FlushResult> flush = output.WriteAsync(new byte[2_000_000]);
        await Task.Run(() => output.Abort(new IOException("abort")));

        Assert.True((await flush.Soon()).IsCompleted);
        Assert.Equal("abort", (await _ended.Task.Soon())!.Message);
        Assert.True((await output.WriteAsync(new byte[10_000])).IsCompleted);
        await output.CompleteAsync();
        await Bounded.UntilAsync(() => _pool.RentedBytes == 0);
    }

    [NeedsFact(Need.Native)]
    public async Task Sent_file_is_sent_by_sendfile_and_takes_no_large_block()
    {
        byte[] content = Content.Random(5_000_000);
        using SafeFileHandle file = File.OpenHandle(Folder.Write("file", content));
        using var pair = new SocketPair(native: true);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native: true), EndWith(pair));
        long calls = SocketSend.FileCalls;
        Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();

        WriteFile(output, file, 0, content.Length);
        await output.FlushAsync().Soon();
        await output.CompleteAsync();

        Assert.Equal(content, await received);
        Assert.True(SocketSend.FileCalls > calls);
        Assert.True(_pool.PeakRentedBytes <= MillraceSocketOptions.MinBlockBytes);
    }

    [NeedsFact(Need.Native)]
    public async Task Bytes_sent_before_they_are_written_are_counted_with_the_next_write()
    {
        byte[] content = Content.Random(150_000);
        using SafeFileHandle file = File.OpenHandle(Folder.Write("file", content));
        using var pair = new SocketPair(native: true);
        pair.Sender.SendBufferSize = 1_000_000;
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native: true), EndWith(pair));

        int first = WritePart(output, file, 0, content.Length, content.Length);
        await output.FlushAsync().Soon();
        Assert.Equal(SocketOutput.LendableBytes, first);
        Assert.Equal(content.Length - first, WritePart(output, file, first, content.Length - first, content.Length - first));
        Assert.Equal(content.Length - first, output.UnflushedBytes);
        Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
        Assert.False(output.EndFile());

        WritePart(output, file, 0, content.Length, content.Length);
        Assert.True(output.EndFile());
        await output.CompleteAsync();
    }

    [Theory]
    [EveryValue]
    public async Task Output_of_a_request_outside_of_the_pool_is_sent_when_its_code_returns(bool native)
    {
        using var pair = new SocketPair(native);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native), EndWith(pair));
        int sentBefore = -1;
        RunOutsideOfPool(() =>
        {
            output.Write("first "u8);
            Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            output.Write("second"u8);
            Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            sentBefore = pair.Receiver.Available;
        });

        // Nothing else sends it, so it is either here or lost.
        Assert.Equal(0, sentBefore);
        await output.CompleteAsync();
        Assert.Equal("first second"u8.ToArray(), await pair.Receiver.ReceiveToEndAsync().Soon());
    }

    [NeedsFact(Need.Native)]
    public async Task Bytes_that_fill_a_TLS_record_are_sent_by_the_thread_that_flushes_them()
    {
        byte[] content = Content.Random(16_384);
        byte[] received = new byte[content.Length];
        using var pair = new SocketPair(native: true);
        pair.Sender.SendBufferSize = 1024 * 1024;
        pair.Receiver.ReceiveTimeout = 60_000;
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(native: true), EndWith(pair));
        RunOutsideOfPool(() =>
        {
            output.Write(content);
            Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);

            // What another thread sends is sent when this code has returned.
            int count, part = -1;
            for (count = 0; count < received.Length && part != 0; count += part)
            {
                part = pair.Receiver.Receive(received.AsSpan(count));
            }
        });

        Assert.Equal(content, received);
        await output.CompleteAsync();
    }

    [Theory]
    [EveryValue]
    public async Task Files_of_a_request_outside_of_the_pool_are_sent_in_the_pool(bool textIsFlushed)
    {
        byte[] content = Content.Random(300_000);
        using SafeFileHandle file = File.OpenHandle(Folder.Write("file", content));
        using var pair = new SocketPair(NativeHere);
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, Options(NativeHere), EndWith(pair));
        Task<bool>? goesOnInPool = null;
        long calls = RunOutsideOfPool(() =>
        {
            output.Write("text"u8);
            if (textIsFlushed)
            {
                Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            }

            WriteFile(output, file, 0, content.Length);

            // It ends when something is received, so not before this.
            goesOnInPool = output.FlushAsync().AsTask().ContinueWith(
                static _ => Thread.CurrentThread.IsThreadPoolThread, TaskContinuationOptions.ExecuteSynchronously);
        });

        Assert.Equal(0, calls);
        Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();
        Assert.True(await goesOnInPool!.Soon());
        await output.CompleteAsync();
        byte[] all = await received.Soon();
        Assert.Equal([.. "text"u8, .. content], all);
    }

    [Fact]
    public async Task Code_that_waits_for_a_flush_does_not_run_where_other_connections_wait()
    {
        byte[] content = Content.Random(20_000);
        using var pair = new SocketPair(NativeHere);
        pair.Sender.SendBufferSize = 1024 * 1024;
        MillraceSocketOptions options = Options(NativeHere);
        options.WriteBufferBytes = 4096;
        using var output = new SocketOutput(pair.Sender, pair.Events, _pool, options, EndWith(pair));
        Task<byte[]> received = pair.Receiver.ReceiveToEndAsync();
        Task<string>? goesOn = null;
        RunOutsideOfPool(() =>
        {
            output.Write("text"u8);
            Assert.True(output.FlushAsync().AsTask().IsCompletedSuccessfully);
            output.Write(content);
            Task<FlushResult> flush = output.FlushAsync().AsTask();
            Assert.False(flush.IsCompleted);
            goesOn = flush.ContinueWith(static _ => Environment.StackTrace, TaskContinuationOptions.ExecuteSynchronously);
        });

        Assert.DoesNotContain(nameof(SendQueue), await goesOn!.Soon(), StringComparison.Ordinal);
        await output.CompleteAsync();
        byte[] all = await received.Soon();
        Assert.Equal([.. "text"u8, .. content], all);
    }

    /// <summary>Runs a request's code as the thread that waits for events does.</summary>
    /// <returns>How often that thread called sendfile(2).</returns>
    private static long RunOutsideOfPool(Action request)
    {
        long calls = -1;
        var thread = new Thread(() =>
        {
            ReceiveScheduler.Begin();
            ReceiveScheduler.Instance.Schedule(_ => request(), null);
            ReceiveScheduler.End();
            calls = SocketSend.FileCallsHere;
        });
        thread.Start();
        thread.Join();
        return calls;
    }

    private static bool NativeHere => new MillraceSocketOptions().Native;

    private static MillraceSocketOptions Options(bool native) => new() { Native = native && NativeHere };

    private static void WriteFile(SocketOutput output, SafeFileHandle file, long offset, int count)
    {
        for (int part; count > 0; (offset, count) = (offset + part, count - part))
        {
            part = WritePart(output, file, offset, count, certain: 0);
        }
    }

    /// <summary>Also lets bytes be sent before they are written, and flushes, as a response does, or not, as after a canceled flush.</summary>
    private static async Task WriteFileAsync(SocketOutput output, SafeFileHandle file, long offset, int count, Random random)
    {
        for (int part; count > 0; (offset, count) = (offset + part, count - part))
        {
            part = WritePart(output, file, offset, count, random.Next(3) == 0 ? 0 : count);
            if (random.Next(2) == 0)
            {
                Assert.False((await output.FlushAsync().Soon()).IsCompleted);
            }
        }

        Assert.False(output.EndFile());
    }

    private static int WritePart(SocketOutput output, SafeFileHandle file, long offset, int count, int certain)
    {
        int part = output.Lend(file, offset, count, certain);
        Assert.InRange(part, 1, count);
        output.Write(SocketOutput.StandIn(part).Span);
        Assert.True(output.EndLending());
        return part;
    }

    private Action<Exception?> EndWith(SocketPair pair) => error =>
    {
        pair.Sender.Close(error is null ? -1 : 0);
        pair.Events?.SocketClosed();
        _ended.TrySetResult(error);
    };
}
