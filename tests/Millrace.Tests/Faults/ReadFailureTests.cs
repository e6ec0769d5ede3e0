namespace Millrace.Tests.Faults;

/// <summary>I/O errors, real ones.</summary>
public sealed class ReadFailureTests
{
    [Theory, EveryValue]
    public async Task An_immediate_error_is_reported_with_its_offset(ReadStrategy strategy, bool portable)
    {
        // Nothing is mapped at address 0.
        await using FilePipeReader reader = Open(strategy, portable, offset: 0);

        for (int turn = 0; turn < 3; turn++)
        {
            AssertFailed(await Assert.ThrowsAsync<FilePipeException>(() => reader.ReadAsync().Soon()), 0);
            AssertFailed(Assert.Throws<FilePipeException>(() => reader.Read()), 0);
        }

        Assert.Equal(0, reader.Position);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task Bytes_before_an_error_are_delivered_first(ReadStrategy strategy, bool portable)
    {
        using var memory = new MemoryWithHole(1_003_520);
        await using FilePipeReader reader = Open(strategy, portable, memory.Offset);
        long consumed = 0;
        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(async () =>
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync().Soon();
                ReaderExtensions.AssertContent(consumed, consumed + result.Buffer.Length, result.Buffer.ToArray());
                consumed += result.Buffer.Length;
                reader.AdvanceTo(result.Buffer.End);
                Assert.False(result.IsCompleted);
            }
        });

        Assert.Equal(memory.Length, consumed);
        AssertFailed(exception, memory.Offset + memory.Length);
        Assert.Equal(exception.Offset, reader.Position);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_reader_can_continue_elsewhere_after_an_error(ReadStrategy strategy, bool portable)
    {
        using var memory = new MemoryWithHole(409_600);
        await using FilePipeReader reader = Open(strategy, portable, offset: 4096);
        await Assert.ThrowsAsync<FilePipeException>(() => reader.ReadAsync().Soon());

        reader.Seek(memory.Offset + 100);

        (await reader.HoldAsync(400_000)).AssertStarts(100, 400_000);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_failed_copy_has_copied_the_bytes_before_the_error(ReadStrategy strategy, bool portable)
    {
        using var memory = new MemoryWithHole(819_200);
        await using FilePipeReader reader = Open(strategy, portable, memory.Offset);
        using var destination = new MemoryStream();

        FilePipeException exception =
            await Assert.ThrowsAsync<FilePipeException>(() => reader.CopyToAsync(destination).Soon());

        AssertFailed(exception, memory.Offset + memory.Length);
        ReaderExtensions.AssertContent(0, memory.Length, destination.ToArray());
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable, long offset) => TestReader.Open(
        MemoryWithHole.Path, strategy, portable, new FileReadOptions { Offset = offset, Share = FileShare.ReadWrite });

    private static void AssertFailed(FilePipeException exception, long offset)
    {
        Assert.Equal(FilePipeError.ReadFailed, exception.Error);
        Assert.Equal(MemoryWithHole.Path, exception.Path);
        Assert.Equal(offset, exception.Offset);
        Assert.IsType<IOException>(exception.InnerException);
        Assert.Equal(exception.InnerException.HResult, exception.HResult);
        Assert.Contains(MemoryWithHole.Path, exception.Message, StringComparison.Ordinal);
    }
}
