namespace Millrace.Tests.Contract;

/// <summary>Complete, and the calls that a completed reader refuses.</summary>
public sealed class CompleteTests : ContractTests
{
    private const int Length = 10_000;

    [Theory, EveryReader]
    public async Task Completing_again_does_nothing(string name)
    {
        PipeReader reader = Open(name, Length);
        await reader.ReadAsync().Soon();

        reader.Complete();
        reader.Complete(new IOException("the second time"));
    }

    [Theory, EveryReader]
    public async Task Completing_with_an_exception_does_not_throw_it(string name)
    {
        PipeReader reader = Open(name, Length);

        await reader.CompleteAsync(new IOException("the caller's own"));

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
    }

    [Theory, EveryReader]
    public async Task Reads_and_copies_after_completion_are_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult held = await reader.HoldAsync(100);
        reader.AdvanceTo(held.Buffer.GetPosition(1));
        await reader.CompleteAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAtLeastAsync(10));
        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.CopyToAsync(Stream.Null));
        Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _));
    }

    [Theory, EveryReader(ReaderTraits.HoldsBackExamined)]
    public async Task Advancing_after_completion_is_rejected(string name)
    {
        PipeReader reader = Open(name, Length);
        ReadResult held = await reader.HoldAsync(100);
        SequencePosition end = held.Buffer.End;
        await reader.CompleteAsync();

        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(end));
        Assert.Throws<InvalidOperationException>(() => reader.AdvanceTo(default));
    }

    [Theory, EveryReader]
    public async Task CancelPendingRead_after_completion_does_nothing(string name)
    {
        PipeReader reader = Open(name, Length);
        await reader.ReadAsync().Soon();
        await reader.CompleteAsync();

        reader.CancelPendingRead();

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.ReadAsync());
    }
}
