using System.IO.Pipelines;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>Reading an uploaded pipe over several requests, each with its own token.</summary>
public sealed class PipeFeedTests
{
    [Fact]
    public async Task Cancellation_of_an_earlier_request_does_not_end_the_next_read()
    {
        using var first = new CancellationTokenSource();
        using var stream = new CancelingStream(first);
        await using var feed = new PipeFeed(PipeReader.Create(stream));

        Assert.Equal(4, (await feed.ReadAsync(first.Token)).Length);
        Assert.Equal(4, (await feed.ReadAsync(CancellationToken.None)).Length);
        Assert.True((await feed.ReadAsync(CancellationToken.None)).IsEmpty);
    }

    [Fact]
    public async Task CancelPendingRead_by_the_owner_of_the_pipe_ends_the_upload()
    {
        var pipe = new Pipe();
        await using var feed = new PipeFeed(pipe.Reader);

        pipe.Reader.CancelPendingRead();

        await Assert.ThrowsAsync<OperationCanceledException>(async () => await feed.ReadAsync(CancellationToken.None));
    }

    /// <summary>Eight bytes in two reads. The first is canceled when its bytes are already there.</summary>
    private sealed class CancelingStream(CancellationTokenSource cancellation) : MemoryStream(new byte[8])
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            cancellation.Cancel();
            return new ValueTask<int>(Read(buffer.Span[..4]));
        }
    }
}
