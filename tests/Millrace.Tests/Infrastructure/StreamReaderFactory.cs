namespace Millrace.Tests.Infrastructure;

/// <summary>The reference: .NET's own reader over a stream.</summary>
internal sealed class StreamReaderFactory() : ReaderFactory(
    "PipeReader.Create(Stream)", ReaderTraits.Waits | ReaderTraits.HoldsBackExamined | ReaderTraits.ObeysTokens
        | ReaderTraits.CanBeEnded)
{
    public override PipeReader Create(int length) =>
        PipeReader.Create(new FileStream(TestFolder.SharedFile(length), FileMode.Open, FileAccess.Read));

    public override FedReader CreateFed() => new FedStream(new Pipe());

    private sealed class FedStream(Pipe pipe) : FedReader(PipeReader.Create(pipe.Reader.AsStream()))
    {
        public override void Feed(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(pipe.Writer.GetSpan(bytes.Length));
            pipe.Writer.Advance(bytes.Length);

            // Nothing here comes near the threshold at which a flush waits.
            Assert.True(pipe.Writer.FlushAsync().AsTask().IsCompletedSuccessfully);
        }

        public override void End() => pipe.Writer.Complete();
    }
}
