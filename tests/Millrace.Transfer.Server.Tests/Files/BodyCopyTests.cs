using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Whose failure it is when a body cannot be read any more.</summary>
public sealed class BodyCopyTests
{
    /// <summary>Kestrel reports a stream of HTTP/2 that the client reset as an IOException, before it cancels the request.</summary>
    [Fact]
    public async Task Reset_while_a_body_is_awaited_is_the_act_of_the_client()
    {
        var body = new Pipe();
        ValueTask<ReadResult> reading = BodyCopy.ReadAsync(body.Reader, default);
        var cause = new IOException("The client reset the request stream.");
        await body.Writer.CompleteAsync(cause);

        Assert.Same(cause, (await Assert.ThrowsAsync<ConnectionResetException>(() => reading.AsTask())).InnerException);
        await Assert.ThrowsAsync<ConnectionResetException>(() => BodyCopy.ReadAsync(body.Reader, default).AsTask());
    }

    [Fact]
    public async Task Refusals_of_a_body_stay_as_they_are()
    {
        // The last one is the size of a chunk from 2^31 on.
        foreach (Exception cause in (Exception[])
            [new BadHttpRequestException("Too large."), new TransferException(TransferError.TooSlow, "Too slow."), new IOException("", new OverflowException())])
        {
            var body = new Pipe();
            ValueTask<ReadResult> reading = BodyCopy.ReadAsync(body.Reader, default);
            await body.Writer.CompleteAsync(cause);

            Assert.Same(cause, await Assert.ThrowsAnyAsync<IOException>(() => reading.AsTask()));
        }
    }

    [Fact]
    public async Task Cancelled_read_of_an_aborted_stream_ends_by_itself()
    {
        var pipe = new Pipe();
        using var stop = new CancellationTokenSource();
        ValueTask<ReadResult> reading = BodyCopy.ReadAsync(new AbortedReader(pipe.Reader), stop.Token);

        // As in callbacks of RequestAborted, whose exceptions are logged as a failure of the application.
        await stop.CancelAsync();
        await pipe.Writer.CompleteAsync(new IOException("aborted"));

        await Assert.ThrowsAsync<ConnectionResetException>(async () => await reading);
    }

    /// <summary>Throws from everything but a read that has begun, as Kestrel's reader of a stream that was aborted.</summary>
    private sealed class AbortedReader(PipeReader inner) : PipeReader
    {
        public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => inner.ReadAsync(cancellationToken);

        public override void CancelPendingRead() => throw new IOException("aborted");

        public override bool TryRead(out ReadResult result) => throw new IOException("aborted");

        public override void AdvanceTo(SequencePosition consumed) => throw new IOException("aborted");

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => throw new IOException("aborted");

        public override void Complete(Exception? exception = null) => inner.Complete(exception);
    }
}
