namespace Millrace.Tests.Contract;

/// <summary>CopyToAsync to streams and to writers; a copy that fails leaves the bytes it did not copy.</summary>
public sealed class CopyToTests : ContractTests
{
    private const int Length = 300_000;

    /// <summary>More than any strategy hands out at once, so that a copy takes several writes.</summary>
    private const int SeveralWrites = 3_000_000;

    [Theory, EveryReader]
    public async Task A_missing_destination_is_rejected(string name)
    {
        PipeReader reader = Open(name, 100);

        await Assert.ThrowsAsync<ArgumentNullException>(() => reader.CopyToAsync((Stream)null!));
        await Assert.ThrowsAsync<ArgumentNullException>(() => reader.CopyToAsync((PipeWriter)null!));

        await reader.AssertRestAsync(0, 100);
    }

    [Theory, EveryReader]
    public async Task CopyTo_a_stream_copies_every_byte_and_leaves_the_reader_at_the_end(string name)
    {
        foreach (int length in new[] { 0, Length })
        {
            PipeReader reader = Open(name, length);
            using var destination = new MemoryStream();

            await reader.CopyToAsync(destination).Soon();

            ReaderExtensions.AssertContent(0, length, destination.ToArray());
            await reader.AssertRestAsync(length, length);
        }
    }

    [Theory, EveryReader]
    public async Task A_writer_with_back_pressure_gets_every_byte(string name)
    {
        PipeReader reader = Open(name, Length);
        var pipe = new Pipe();
        Task copy = Task.Run(async () =>
        {
            await reader.CopyToAsync(pipe.Writer);
            await pipe.Writer.CompleteAsync();
        });

        await pipe.Reader.AssertRestAsync(0, Length);
        await copy.Soon();
    }

    [Theory, EveryReader]
    public async Task Unconsumed_bytes_are_copied_too(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult held = await reader.HoldAsync(100);
        reader.AdvanceTo(held.Buffer.GetPosition(33), held.Buffer.GetPosition(77));
        using var destination = new MemoryStream();

        await reader.CopyToAsync(destination).Soon();

        ReaderExtensions.AssertContent(33, Length, destination.ToArray());
    }

    [Theory, EveryReader(ReaderTraits.KeepsWhatACopyLeft)]
    public async Task A_failing_stream_leaves_unwritten_bytes_in_the_reader(string name)
    {
        PipeReader reader = Open(name, SeveralWrites);
        using var destination = new FailingStream(writesBeforeFailure: 1);

        IOException exception = await Assert.ThrowsAsync<IOException>(() => reader.CopyToAsync(destination).Soon());

        Assert.Equal(FailingStream.Reason, exception.Message);
        ReaderExtensions.AssertContent(0, destination.Taken.Length, destination.Taken);
        await reader.AssertRestAsync(destination.Taken.Length, SeveralWrites);
    }

    [Theory, EveryReader(ReaderTraits.KeepsWhatACopyLeft)]
    public async Task A_stream_that_fails_at_once_leaves_everything(string name)
    {
        PipeReader reader = Open(name, Length);
        using var destination = new FailingStream(writesBeforeFailure: 0);

        await Assert.ThrowsAsync<IOException>(() => reader.CopyToAsync(destination).Soon());

        await reader.CopyToAsync(destination.Repaired()).Soon();
        ReaderExtensions.AssertContent(0, Length, destination.Taken);
    }

    [Theory, EveryReader(ReaderTraits.KeepsWhatACopyLeft)]
    public async Task A_failing_writer_leaves_unwritten_bytes_in_the_reader(string name)
    {
        PipeReader reader = Open(name, SeveralWrites);
        using var destination = new FailingWriter(writesBeforeFailure: 1);

        await Assert.ThrowsAsync<IOException>(() => reader.CopyToAsync(destination).Soon());

        ReaderExtensions.AssertContent(0, destination.Taken.Length, destination.Taken);
        await reader.AssertRestAsync(destination.Taken.Length, SeveralWrites);
    }

    [Theory, EveryReader]
    public async Task A_canceled_flush_ends_the_copy_and_leaves_the_reader_usable(string name)
    {
        PipeReader reader = Open(name, Length);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        pipe.Writer.CancelPendingFlush();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reader.CopyToAsync(pipe.Writer).Soon());

        await reader.CopyToAsync(Stream.Null).Soon();
    }

    [Theory, EveryReader]
    public async Task A_completed_reader_at_the_other_end_ends_the_copy_early(string name)
    {
        PipeReader reader = Open(name, Length);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        await pipe.Reader.CompleteAsync();

        await reader.CopyToAsync(pipe.Writer).Soon();
    }

    [Theory, EveryReader]
    public async Task A_completed_writer_is_rejected_and_leaves_everything(string name)
    {
        PipeReader reader = Open(name, Length);
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        await pipe.Writer.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.CopyToAsync(pipe.Writer).Soon());

        using var destination = new MemoryStream();
        await reader.CopyToAsync(destination).Soon();
        ReaderExtensions.AssertContent(0, Length, destination.ToArray());
    }

    [Theory, EveryReader(ReaderTraits.ObeysTokens)]
    public async Task A_canceled_token_copies_nothing(string name)
    {
        PipeReader reader = Open(name, 100);
        using var destination = new MemoryStream();
        var canceled = new CancellationToken(canceled: true);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reader.CopyToAsync(destination, canceled).Soon());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => reader.CopyToAsync(PipeWriter.Create(destination), canceled).Soon());

        Assert.Equal(0, destination.Length);
        await reader.AssertRestAsync(0, 100);
    }

    [Theory, EveryReader(ReaderTraits.KeepsWhatACopyLeft)]
    public async Task CancelPendingRead_ends_the_copy_and_leaves_everything(string name)
    {
        PipeReader reader = Open(name, 100);
        reader.CancelPendingRead();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reader.CopyToAsync(Stream.Null).Soon());

        await reader.AssertRestAsync(0, 100);
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task A_token_ends_a_copy_that_waits_for_bytes(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        using var source = new CancellationTokenSource();
        using var destination = new MemoryStream();
        Task copy = fed.Reader.CopyToAsync(destination, source.Token);
        Assert.False(copy.IsCompleted);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => copy.Soon());
        fed.Feed(TestContent.Of(100).Span);
        fed.End();
        await fed.Reader.CopyToAsync(destination).Soon();
        ReaderExtensions.AssertContent(0, 100, destination.ToArray());
    }

    [NeedsTheory(Need.Linux), EveryReader(ReaderTraits.Waits | ReaderTraits.CanBeEnded)]
    public async Task CancelPendingRead_ends_a_copy_that_waits_for_bytes(string name)
    {
        using FedReader fed = Readers.Get(name).CreateFed();
        using var destination = new MemoryStream();
        Task copy = fed.Reader.CopyToAsync(destination);
        Assert.False(copy.IsCompleted);

        fed.Reader.CancelPendingRead();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => copy.Soon());
        fed.Feed(TestContent.Of(100).Span);
        fed.End();
        await fed.Reader.AssertRestAsync(0, 100);
    }
}
