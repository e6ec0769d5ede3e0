using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Tests.Infrastructure;

/// <summary>The second reference: .NET's own reader over memory.</summary>
internal sealed class SequenceReaderFactory() : ReaderFactory("PipeReader.Create(ReadOnlySequence)", ReaderTraits.None)
{
    public override PipeReader Create(int length) =>
        PipeReader.Create(new ReadOnlySequence<byte>(TestContent.Of(length)));
}
