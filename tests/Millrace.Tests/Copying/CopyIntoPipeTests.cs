namespace Millrace.Tests.Copying;

public sealed class CopyIntoPipeTests : FolderTests
{
    private const int Length = 900_001;

    [Fact]
    public async Task A_file_is_read_into_the_memory_that_the_pipe_lends()
    {
        await File.WriteAllBytesAsync(Folder["file"], TestContent.Of(Length).ToArray());
        var writer = new LendingWriter();
        await using FilePipeReader reader = FilePipe.OpenRead(Folder["file"]);
        await reader.CopyToAsync(writer);
        Assert.True(TestContent.Of(Length).Span.SequenceEqual(writer.Content));

        // Nothing came as foreign memory, which the pipe would have had to copy; nor portably, which reads blocks.
        Assert.Equal(!Interop.NativeFeatures.Linux, writer.Copied > 0);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 1)]
    [InlineData(1, 300_000)]
    [InlineData(262_143, 262_145)]
    [InlineData(500_000, 400_001)]
    public async Task Only_the_part_that_was_opened_is_copied(int offset, int length)
    {
        await File.WriteAllBytesAsync(Folder["file"], TestContent.Of(Length).ToArray());
        var writer = new LendingWriter();
        await using FilePipeReader reader = FilePipe.OpenRead(
            Folder["file"], new FileReadOptions { Offset = offset, Length = length });
        await reader.CopyToAsync(writer);
        Assert.True(TestContent.Between(offset, offset + length).Span.SequenceEqual(writer.Content));
    }

    [Fact]
    public async Task Unconsumed_bytes_are_copied_too()
    {
        await File.WriteAllBytesAsync(Folder["file"], TestContent.Of(Length).ToArray());
        var writer = new LendingWriter();
        await using FilePipeReader reader = FilePipe.OpenRead(Folder["file"]);
        ReadResult result = await reader.ReadAsync();
        reader.AdvanceTo(result.Buffer.GetPosition(100), result.Buffer.End);
        await reader.CopyToAsync(writer);
        Assert.True(TestContent.Between(100, Length).Span.SequenceEqual(writer.Content));
    }

    [Fact]
    public async Task Truncation_during_a_copy_is_reported()
    {
        await File.WriteAllBytesAsync(Folder["file"], TestContent.Of(Length).ToArray());
        await using FilePipeReader reader = FilePipe.OpenRead(
            Folder["file"], new FileReadOptions { Share = FileShare.ReadWrite });
        using (var other = new FileStream(Folder["file"], FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            other.SetLength(1000);
        }

        await Fails.WithAsync(FilePipeError.Truncated, () => reader.CopyToAsync(new LendingWriter()));
    }

    /// <summary>A pipe that distinguishes its own memory from memory it was given.</summary>
    private sealed class LendingWriter : PipeWriter
    {
        private readonly ArrayBufferWriter<byte> _content = new();
        private byte[] _lent = [];

        public ReadOnlySpan<byte> Content => _content.WrittenSpan;

        public long Copied { get; private set; }

        public override Memory<byte> GetMemory(int sizeHint = 0) => _lent = new byte[Math.Max(sizeHint, 4096)];

        public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

        public override void Advance(int bytes) => _content.Write(_lent.AsSpan(0, bytes));

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => default;

        public override ValueTask<FlushResult> WriteAsync(
            ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
        {
            Copied += source.Length;
            _content.Write(source.Span);
            return default;
        }

        public override void CancelPendingFlush()
        {
        }

        public override void Complete(Exception? exception = null)
        {
        }
    }
}
