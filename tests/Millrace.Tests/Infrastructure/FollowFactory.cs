namespace Millrace.Tests.Infrastructure;

/// <summary>
/// File pipes that follow a file, which grows when it is fed. A length ends them; the end of the file does not, so that
/// the feeder cannot end it.
/// </summary>
internal sealed class FollowFactory(FollowMode mode, bool portable) : ReaderFactory(
    $"Follow by {mode}, {(portable ? "portable" : "native")}", ReaderTraits.FilePipe & ~ReaderTraits.CanBeEnded)
{
    private readonly FileReadOptions _options = new() { Follow = mode, Portable = portable };

    public override PipeReader Create(int length) =>
        FilePipe.OpenRead(TestFolder.SharedFile(length), _options with { Length = length });

    public override FedReader CreateFed()
    {
        string path = TestFolder.NewFile(0);
        return new FedFile(path, FilePipe.OpenRead(path, _options));
    }

    private sealed class FedFile(string path, PipeReader reader) : FedReader(reader)
    {
        private readonly FileStream _end =
            new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);

        public override void Feed(ReadOnlySpan<byte> bytes) => _end.Write(bytes);

        public override void End() => _end.Dispose();
    }
}
