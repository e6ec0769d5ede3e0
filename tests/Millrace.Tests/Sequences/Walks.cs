namespace Millrace.Tests.Sequences;

/// <summary>Walks that collect elements and end after a number of elements.</summary>
internal static class Walks
{
    public static Task<byte[]> TakeAsync(this ByteSequence bytes, int count = int.MaxValue)
    {
        return Walk().Soon();

        async Task<byte[]> Walk()
        {
            var taken = new List<byte>();
            await foreach (byte value in bytes)
            {
                taken.Add(value);
                if (taken.Count == count)
                {
                    break;
                }
            }

            return [.. taken];
        }
    }

    public static Task<byte[][]> TakeAsync(this SegmentSequence segments, int count = int.MaxValue)
    {
        return Walk().Soon();

        async Task<byte[][]> Walk()
        {
            var taken = new List<byte[]>();
            await foreach (ReadOnlyMemory<byte> segment in segments)
            {
                taken.Add(segment.ToArray());
                if (taken.Count == count)
                {
                    break;
                }
            }

            return [.. taken];
        }
    }

    public static Task<string[]> TakeAsync(this LineSequence lines, int count = int.MaxValue) => lines.TakeInto([], count);

    /// <summary>The same into a list that is there when the walk fails.</summary>
    public static Task<string[]> TakeInto(this LineSequence lines, List<string> taken, int count = int.MaxValue)
    {
        return Walk().Soon();

        async Task<string[]> Walk()
        {
            await foreach (ReadOnlyMemory<byte> line in lines)
            {
                taken.Add(Text.Of(line.Span));
                if (taken.Count == count)
                {
                    break;
                }
            }

            return [.. taken];
        }
    }

    public static Task<T[]> TakeAsync<T>(this RecordSequence<T> records, int count = int.MaxValue)
        where T : unmanaged => records.TakeInto([], count);

    /// <summary>The same into a list that is there when the walk fails.</summary>
    public static Task<T[]> TakeInto<T>(this RecordSequence<T> records, List<T> taken, int count = int.MaxValue)
        where T : unmanaged
    {
        return Walk().Soon();

        async Task<T[]> Walk()
        {
            await foreach (T record in records)
            {
                taken.Add(record);
                if (taken.Count == count)
                {
                    break;
                }
            }

            return [.. taken];
        }
    }
}
