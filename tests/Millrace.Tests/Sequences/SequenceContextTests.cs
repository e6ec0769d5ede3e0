namespace Millrace.Tests.Sequences;

/// <summary>Where the code after an await runs.</summary>
public sealed class SequenceContextTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Bytes_continue_in_the_callers_context_by_default(bool captured) =>
        Assert.Equal(captured, await IsPostedAsync(captured, async (reader, configured) =>
        {
            await foreach (byte _ in configured ? reader.ReadBytesAsync() : reader.ReadBytesAsync().ConfigureAwait(false))
            {
            }
        }));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Segments_continue_in_the_callers_context_by_default(bool captured) =>
        Assert.Equal(captured, await IsPostedAsync(captured, async (reader, configured) =>
        {
            SegmentSequence segments = reader.ReadSegmentsAsync();
            await foreach (ReadOnlyMemory<byte> _ in configured ? segments : segments.ConfigureAwait(false))
            {
            }
        }));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Lines_continue_in_the_callers_context_by_default(bool captured) =>
        Assert.Equal(captured, await IsPostedAsync(captured, async (reader, configured) =>
        {
            LineSequence lines = reader.ReadLinesAsync();
            await foreach (ReadOnlyMemory<byte> _ in configured ? lines : lines.ConfigureAwait(false))
            {
            }
        }));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Records_continue_in_the_callers_context_by_default(bool captured) =>
        Assert.Equal(captured, await IsPostedAsync(captured, async (reader, configured) =>
        {
            RecordSequence<short> records = reader.ReadRecordsAsync<short>();
            await foreach (short _ in configured ? records : records.ConfigureAwait(false))
            {
            }
        }));

    /// <summary>Begins a walk in a context, lets it wait, and says whether it came back through the context.</summary>
    private static async Task<bool> IsPostedAsync(bool captured, Func<PipeReader, bool, Task> walk)
    {
        var pipe = new Pipe();
        var context = new CountingContext();
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        Task walking;
        try
        {
            walking = walk(pipe.Reader, captured);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        Assert.False(walking.IsCompleted);
        await pipe.Writer.WriteAsync("ab"u8.ToArray());
        await pipe.Writer.CompleteAsync();
        await walking.Soon();
        return context.Posts > 0;
    }

    private sealed class CountingContext : SynchronizationContext
    {
        private int _posts;

        public int Posts => Volatile.Read(ref _posts);

        public override void Post(SendOrPostCallback d, object? state)
        {
            Interlocked.Increment(ref _posts);
            base.Post(d, state);
        }
    }
}
