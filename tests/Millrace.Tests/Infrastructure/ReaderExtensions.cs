namespace Millrace.Tests.Infrastructure;

/// <summary>Helpers for tests with readers.</summary>
internal static class ReaderExtensions
{
    /// <summary>Reads until so many bytes are held, and leaves them unexamined.</summary>
    public static async Task<ReadResult> HoldAsync(this PipeReader reader, int bytes)
    {
        ReadResult result = await reader.ReadAtLeastAsync(bytes).Soon();
        Assert.True(result.Buffer.Length >= bytes, $"{result.Buffer.Length} of {bytes} bytes");
        return result;
    }

    /// <summary>Consumes so many bytes.</summary>
    public static async Task SkipAsync(this PipeReader reader, int bytes)
    {
        ReadResult result = await reader.HoldAsync(bytes);
        reader.AdvanceTo(result.Buffer.GetPosition(bytes));
    }

    /// <summary>Reads the rest, consuming it read by read, and checks that the end was reported.</summary>
    public static async Task<byte[]> ReadToEndAsync(this PipeReader reader)
    {
        var bytes = new ArrayBufferWriter<byte>();
        while (true)
        {
            ReadResult result = await reader.ReadAsync().Soon();
            Assert.False(result.IsCanceled);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                bytes.Write(segment.Span);
            }

            Assert.True(result.IsCompleted || result.Buffer.Length > 0, "a read that brought nothing and no end");
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return bytes.WrittenSpan.ToArray();
            }
        }
    }

    /// <summary>Asserts that the rest of the file is the content from an offset to another, and then ends.</summary>
    public static async Task AssertRestAsync(this PipeReader reader, long start, long end) =>
        AssertContent(start, end, await reader.ReadToEndAsync());

    /// <summary>Asserts that a buffer begins with the content from an offset on.</summary>
    public static void AssertStarts(this ReadResult result, long offset, int atLeast = 1)
    {
        Assert.True(result.Buffer.Length >= atLeast, $"{result.Buffer.Length} of {atLeast} bytes");
        AssertContent(offset, offset + result.Buffer.Length, result.Buffer.ToArray());
    }

    /// <summary>Asserts that bytes are the content between two offsets.</summary>
    public static void AssertContent(long start, long end, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> expected = TestContent.Between(start, end).Span;
        if (!expected.SequenceEqual(bytes))
        {
            int same = expected.CommonPrefixLength(bytes);
            Assert.Fail($"{bytes.Length} bytes where {expected.Length} were expected; the first {same} are right.");
        }
    }
}
