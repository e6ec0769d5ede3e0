namespace Millrace.Tests.FilePipes;

/// <summary>Position and Length.</summary>
public sealed class PositionTests
{
    private const int Length = 3_000_001;

    [Theory, EveryValue]
    public async Task Position_is_the_first_byte_not_consumed(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        Assert.Equal(0, reader.Position);

        ReadResult result = await reader.HoldAsync(100);
        Assert.Equal(0, reader.Position);

        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        Assert.Equal(0, reader.Position);

        result = await reader.ReadAsync().Soon();
        reader.AdvanceTo(result.Buffer.GetPosition(40), result.Buffer.GetPosition(90));
        Assert.Equal(40, reader.Position);

        result = await reader.HoldAsync(300_000);
        Assert.Equal(40, reader.Position);
        reader.AdvanceTo(result.Buffer.GetPosition(299_960));
        Assert.Equal(300_000, reader.Position);

        await reader.AssertRestAsync(300_000, Length);
        Assert.Equal(Length, reader.Position);
    }

    [Theory, EveryValue]
    public async Task Position_follows_a_copy(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.SkipAsync(77);
        using var destination = new FailingStream(writesBeforeFailure: 1);

        await Assert.ThrowsAsync<IOException>(() => reader.CopyToAsync(destination).Soon());
        Assert.Equal(77 + destination.Taken.Length, reader.Position);

        await reader.CopyToAsync(Stream.Null).Soon();
        Assert.Equal(Length, reader.Position);
    }

    [Theory, EveryValue]
    public async Task Position_stays_when_a_read_is_canceled(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        await reader.SkipAsync(123);
        reader.CancelPendingRead();
        Assert.True((await reader.ReadAsync().Soon()).IsCanceled);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await reader.ReadAsync(new CancellationToken(canceled: true)));

        Assert.Equal(123, reader.Position);
    }

    [Theory, EveryValue]
    public async Task Position_stays_when_the_reader_is_completed(ReadStrategy strategy, bool portable)
    {
        FilePipeReader reader = Open(strategy, portable);
        ReadResult result = await reader.HoldAsync(1_000);
        reader.AdvanceTo(result.Buffer.GetPosition(321));

        await reader.CompleteAsync();

        Assert.Equal(321, reader.Position);
    }

    [Theory, EveryValue]
    public async Task Length_is_that_of_the_file(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = Open(strategy, portable);
        Assert.True(reader.CanSeek);
        Assert.Equal(Length, reader.Length);

        await reader.SkipAsync(100);

        Assert.Equal(Length, reader.Length);
    }

    private static FilePipeReader Open(ReadStrategy strategy, bool portable) => TestReader.Open(
        TestFolder.SharedFile(Length), strategy, portable);
}
