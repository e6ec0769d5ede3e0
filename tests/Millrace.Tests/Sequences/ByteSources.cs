using System.Collections.Frozen;

namespace Millrace.Tests.Sequences;

/// <summary>Every kind of source that sequences are tested over, by name.</summary>
internal static class ByteSources
{
    // As small as .NET's pool has them, so that little content is many segments.
    private const int SegmentBytes = 16;

    private delegate ByteSource Factory(byte[] content, IReadOnlyList<int> pieces);

    private static readonly FrozenDictionary<string, Factory> ByName = FilePipes()
        .Append(("Pipe", PipeOf))
        .Append(("PipeReader.Create(ReadOnlySequence)", (content, pieces) =>
            new ByteSource(PipeReader.Create(Segments.Of(Segments.Cut(content, pieces))))))
        .Append(("PipeReader.Create(Stream)", (content, pieces) => new ByteSource(PipeReader.Create(
            new PieceStream(Segments.Cut(content, pieces)),
            new StreamPipeReaderOptions(bufferSize: SegmentBytes, minimumReadSize: 1)))))
        .Append(("Reader that gives a segment a read", (content, pieces) => new ByteSource(new ScriptedReader(
            Segments.Cut(content, pieces).Select(piece => (Func<ReadOnlyMemory<byte>>)(() => piece))))))
        .Append(("Reader that always waits", (content, pieces) => new ByteSource(new ScriptedReader(
            Segments.Cut(content, pieces).Select(piece => (Func<ReadOnlyMemory<byte>>)(() => piece)),
            endsWithLastPiece: true,
            waits: true))))
        .Append(("FileStream", (content, _) => FileStreamOf(content, FileOptions.None)))
        .Append(("FileStream, asynchronous", (content, _) => FileStreamOf(content, FileOptions.Asynchronous)))
        .Append(("MemoryStream", (content, _) => new ByteSource(new MemoryStream(content, writable: false))))
        .Append(("Stream of pieces", (content, pieces) =>
            new ByteSource(new PieceStream(Segments.Cut(content, pieces)))))
        .ToFrozenDictionary(source => source.Name, source => source.Open);

    public static IEnumerable<string> Names => ByName.Keys.Order(StringComparer.Ordinal);

    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="content">The content to read.</param>
    /// <param name="pieces">The lengths of the pieces in which it comes, over and over; 0 alone is all at once.</param>
    public static ByteSource Open(string name, byte[] content, params IReadOnlyList<int> pieces) =>
        ByName[name](content, pieces);

    private static IEnumerable<(string Name, Factory Open)> FilePipes() =>
        from strategy in Enum.GetValues<ReadStrategy>()
        from portable in new[] { false, true }
        let options = new FileReadOptions { Strategy = strategy, Portable = portable }
        select ($"FilePipe, {strategy}, {(portable ? "portable" : "native")}", (Factory)((content, pieces) =>
        {
            string path = FileOf(content);
            return new ByteSource(FilePipe.OpenRead(path, options with { BufferSize = pieces[0] }), () => Delete(path));
        }));

    private static ByteSource PipeOf(byte[] content, IReadOnlyList<int> pieces)
    {
        var pipe = new Pipe(new PipeOptions(minimumSegmentSize: SegmentBytes));
        Task writing = Task.Run(async () =>
        {
            foreach (ReadOnlyMemory<byte> piece in Segments.Cut(content, pieces))
            {
                if ((await pipe.Writer.WriteAsync(piece)).IsCompleted)
                {
                    break;
                }

                await Task.Yield();
            }

            await pipe.Writer.CompleteAsync();
        });
        return new ByteSource(pipe.Reader, async () => await writing.Soon());
    }

    private static ByteSource FileStreamOf(byte[] content, FileOptions options)
    {
        string path = FileOf(content);
        var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1, options);
        return new ByteSource(stream, () => Delete(path));
    }

    private static string FileOf(byte[] content)
    {
        string path = TestFolder.NewPath();
        File.WriteAllBytes(path, content);
        return path;
    }

    private static ValueTask Delete(string path)
    {
        File.Delete(path);
        return ValueTask.CompletedTask;
    }
}
