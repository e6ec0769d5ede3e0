namespace Millrace.Tests.Infrastructure;

/// <summary>The second reference: .NET's own reader over memory, in segments.</summary>
internal sealed class SequenceReaderFactory() : ReaderFactory(
    "PipeReader.Create(ReadOnlySequence)", ReaderTraits.KeepsWhatACopyLeft)
{
    public override PipeReader Create(int length) =>
        PipeReader.Create(Segments.Of(Segments.Cut(TestContent.Of(length), [5_000])));
}
