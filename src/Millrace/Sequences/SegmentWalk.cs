using System.Buffers;

namespace Millrace.Sequences;

/// <summary>Hands every segment of a source to a delegate.</summary>
internal static class SegmentWalk
{
    /// <summary>Walks to the end.</summary>
    /// <returns>How many bytes there were.</returns>
    public static async ValueTask<long> RunAsync<TState>(
        SequenceSource source, TState state, ReadOnlySpanAction<byte, TState> action)
    {
        var feed = new Feed(source);
        try
        {
            do
            {
                for (ReadOnlyMemory<byte> segment; !(segment = feed.FirstSegment()).IsEmpty; feed.Take(segment.Length))
                {
                    action(segment.Span, state);
                }
            }
            while (await feed.ReadMoreAsync().ConfigureAwait(false));
        }
        finally
        {
            feed.End();
        }

        return feed.Taken;
    }
}
