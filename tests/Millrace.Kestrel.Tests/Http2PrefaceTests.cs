using System.IO.Pipelines;

namespace Millrace.Kestrel.Tests;

/// <summary>The first bytes of a connection decide its protocol, however they are split.</summary>
public sealed class Http2PrefaceTests
{
    private static readonly byte[] Preface = Http2Preface.Bytes.ToArray();

    private readonly Pipe _pipe = new(new PipeOptions(
        readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, useSynchronizationContext: false));

    [Fact]
    public async Task Preface_is_found_wherever_it_is_split()
    {
        for (int split = 0; split < Preface.Length; split++)
        {
            var pipe = new Pipe();
            await pipe.Writer.WriteAsync(Preface.AsMemory(0, split));
            Task<PrefaceResult> found = FindAsync(pipe);
            Assert.False(found.IsCompleted);
            await pipe.Writer.WriteAsync(Preface.AsMemory(split));
            Assert.Equal(PrefaceResult.Http2, await found.Soon());
            await AssertUnreadAsync(pipe, Preface);
        }
    }

    [Fact]
    public async Task Preface_is_found_byte_by_byte_and_not_earlier()
    {
        Task<PrefaceResult> found = FindAsync(_pipe);
        foreach (byte next in Preface)
        {
            Assert.False(found.IsCompleted);
            await _pipe.Writer.WriteAsync(new[] { next });
        }

        Assert.Equal(PrefaceResult.Http2, await found.Soon());
        await AssertUnreadAsync(_pipe, Preface);
    }

    [Fact]
    public async Task Other_byte_at_any_place_is_HTTP_1_at_once()
    {
        for (int place = 0; place < Preface.Length; place++)
        {
            var pipe = new Pipe(new PipeOptions(readerScheduler: PipeScheduler.Inline, useSynchronizationContext: false));
            byte[] sent = [.. Preface[..place], (byte)(Preface[place] ^ 1)];
            Task<PrefaceResult> found = FindAsync(pipe);
            foreach (byte next in sent)
            {
                Assert.False(found.IsCompleted);
                await pipe.Writer.WriteAsync(new[] { next });
            }

            Assert.Equal(PrefaceResult.Http1, await found.Soon());
            await AssertUnreadAsync(pipe, sent);
        }
    }

    [Fact]
    public async Task What_follows_a_preface_stays_unread()
    {
        byte[] sent = [.. Preface, .. "frames"u8];
        await _pipe.Writer.WriteAsync(sent);
        Assert.Equal(PrefaceResult.Http2, await FindAsync(_pipe).Soon());
        await AssertUnreadAsync(_pipe, sent);
    }

    [Theory]
    [InlineData("")]
    [InlineData("PRI * HTTP/2.0\r\n")]
    public async Task Half_a_preface_that_ends_is_HTTP_1(string sent)
    {
        Task<PrefaceResult> found = FindAsync(_pipe);
        await _pipe.Writer.WriteAsync(Encoding.ASCII.GetBytes(sent));
        await _pipe.Writer.CompleteAsync();
        Assert.Equal(PrefaceResult.Http1, await found.Soon());
        await AssertUnreadAsync(_pipe, Encoding.ASCII.GetBytes(sent));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Half_a_preface_is_waited_for_only_so_long(bool atOnce)
    {
        await _pipe.Writer.WriteAsync(Preface.AsMemory(0, atOnce ? 5 : 0));
        Task<PrefaceResult> found = FindAsync(_pipe, half: TimeSpan.FromMilliseconds(1));
        await _pipe.Writer.WriteAsync(Preface.AsMemory(0, atOnce ? 0 : 5));
        Assert.Equal(PrefaceResult.None, await found.Soon());
    }

    [Fact]
    public async Task Silence_is_waited_for_only_so_long() =>
        Assert.Equal(PrefaceResult.None, await FindAsync(_pipe, silence: TimeSpan.FromMilliseconds(1)).Soon());

    [Fact]
    public async Task Infinite_silence_of_Kestrel_has_no_limit()
    {
        Task<PrefaceResult> found = FindAsync(_pipe, silence: TimeSpan.MaxValue);
        await _pipe.Writer.WriteAsync(Preface);
        Assert.Equal(PrefaceResult.Http2, await found.Soon());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public async Task Reset_and_stop_end_the_search(int sent)
    {
        await _pipe.Writer.WriteAsync(Preface.AsMemory(0, sent));
        using var stop = new CancellationTokenSource();
        Task<PrefaceResult> found = FindAsync(_pipe, cancel: stop.Token);
        await stop.CancelAsync();
        Assert.Equal(PrefaceResult.None, await found.Soon());

        await _pipe.Writer.CompleteAsync(new IOException("reset"));
        Assert.Equal(PrefaceResult.None, await FindAsync(_pipe).Soon());
    }

    private static Task<PrefaceResult> FindAsync(
        Pipe pipe, TimeSpan? silence = null, TimeSpan? half = null, CancellationToken cancel = default) =>
        Http2Preface.FindAsync(pipe.Reader, silence ?? TimeSpan.FromHours(1), half ?? TimeSpan.FromHours(1), cancel).AsTask();

    /// <remarks>Returned by the first read, without waiting for more, or the next reader would hang.</remarks>
    private static async Task AssertUnreadAsync(Pipe pipe, byte[] expected)
    {
        ReadResult read = await pipe.Reader.ReadAsync().AsTask().Soon();
        Assert.Equal(expected, System.Buffers.BuffersExtensions.ToArray(read.Buffer));
    }
}
