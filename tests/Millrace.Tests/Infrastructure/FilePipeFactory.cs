namespace Millrace.Tests.Infrastructure;

/// <summary>File pipes of one strategy and buffer size, over regular files and, to be fed, over FIFOs.</summary>
internal sealed class FilePipeFactory(FileReadOptions options) : ReaderFactory(Describe(options), ReaderTraits.FilePipe)
{
    public FileReadOptions Options { get; } = options;

    public static string Describe(in FileReadOptions options) =>
        $"{options.Strategy}, {(options.Portable ? "portable" : "native")}, {options.BufferSize}, blocks of {options.BlockBytes}";

    public override PipeReader Create(int length) => FilePipe.OpenRead(TestFolder.SharedFile(length), Options);

    public override FedReader CreateFed()
    {
        var fifo = new Fifo();
        return new FedFifo(fifo, FilePipe.OpenRead(fifo.Path, Options));
    }

    private sealed class FedFifo(Fifo fifo, PipeReader reader) : FedReader(reader)
    {
        public override void Feed(ReadOnlySpan<byte> bytes) => fifo.Write(bytes);

        public override void End() => fifo.Dispose();
    }
}
