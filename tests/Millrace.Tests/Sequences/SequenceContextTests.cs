namespace Millrace.Tests.Sequences;

/// <summary>Where the code after an await runs.</summary>
public sealed class SequenceContextTests
{
    private static readonly Dictionary<string, Func<PipeReader, bool, Task>> Walks = new()
    {
        ["bytes"] = async (reader, captured) =>
        {
            await foreach (byte _ in captured ? reader.ReadBytesAsync() : reader.ReadBytesAsync().ConfigureAwait(false))
            {
            }
        },
        ["segments"] = async (reader, captured) =>
        {
            SegmentSequence segments = reader.ReadSegmentsAsync();
            await foreach (ReadOnlyMemory<byte> _ in captured ? segments : segments.ConfigureAwait(false))
            {
            }
        },
        ["lines"] = async (reader, captured) =>
        {
            await foreach (ReadOnlyMemory<byte> _ in captured ? reader.ReadLinesAsync() : reader.ReadLinesAsync().ConfigureAwait(false))
            {
            }
        },
        ["records"] = async (reader, captured) =>
        {
            await foreach (short _ in captured ? reader.ReadRecordsAsync<short>() : reader.ReadRecordsAsync<short>().ConfigureAwait(false))
            {
            }
        },
    };

    public static TheoryData<string> Kinds => [.. Walks.Keys];

    [Theory, MemberData(nameof(Kinds))]
    public async Task Iterations_continue_in_the_callers_context_by_default(string kind)
    {
        Assert.True(await IsPostedAsync(captured: true, Walks[kind]));
        Assert.False(await IsPostedAsync(captured: false, Walks[kind]));
    }

    /// <summary>Begins a walk in a context, lets it wait, and returns whether it came back through the context.</summary>
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
