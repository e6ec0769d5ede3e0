using Millrace.Lab.Tests.Writes;

namespace Millrace.Lab.Tests.Advising;

/// <summary>The shown lines are cut out of the file that is compiled; here they run.</summary>
public sealed class SnippetTests : FolderTests
{
    private static readonly Dictionary<string, Func<string, Snippets.Process, Task>> Reading = new()
    {
        ["FileStreamSync"] = (path, process) => Do(() => Snippets.FileStreamSync(path, process)),
        ["FileStreamAsync"] = Snippets.FileStreamAsync,
        ["PipeReaderCreate"] = Snippets.PipeReaderCreate,
        ["SocketsUnofficial"] = Snippets.SocketsUnofficial,
        ["NerdbankStreams"] = Snippets.NerdbankStreams,
        ["FilePipe"] = Snippets.FilePipeLoop,
        ["FilePipeBuffered"] = Snippets.FilePipeBuffered,
        ["FilePipeReadAhead"] = Snippets.FilePipeReadAhead,
        ["FilePipeMapped"] = Snippets.FilePipeMapped,
        ["FilePipeDirect"] = Snippets.FilePipeDirect,
    };

    private static readonly Dictionary<string, Func<Stream, Task<ulong>>> Summing = new()
    {
        ["Increments.Span"] = Snippets.IncrementsSpan,
        ["Increments.Vector"] = Snippets.IncrementsVector,
        ["MillraceBytes.AwaitForEach"] = Snippets.BytesOneByOne,
        ["MillraceBytes.Span"] = Snippets.BytesAsSpans,
        ["MillraceBytes.Vector"] = Snippets.BytesAsVectors,
    };

    private static readonly Dictionary<string, Func<string, byte[], Snippets.Next, Snippets.Format, Task>> Writing = new()
    {
        ["Write.FileStreamSync"] = (path, _, next, _) => Do(() => Snippets.WriteFileStream(path, next)),
        ["Write.FilePipe"] = (path, _, next, _) => Snippets.WriteFilePipe(path, next),
        ["Write.Small"] = (path, _, _, format) => Snippets.WriteSmall(path, format),
        ["Write.None"] = (path, all, _, _) => Snippets.WriteUnflushed(path, all),
    };

    public static TheoryData<string> ReadingNames => [.. Reading.Keys];

    public static TheoryData<string> SummingNames => [.. Summing.Keys];

    public static TheoryData<string> WritingNames => [.. Writing.Keys];

    [Theory]
    [MemberData(nameof(ReadingNames))]
    public async Task Lines_read_every_byte(string name)
    {
        byte[] expected = Content(200_001);
        using var read = new MemoryStream();
        await Reading[name](Folder.Write("snippet.bin", expected), bytes => read.Write(bytes));
        Assert.Equal(expected, read.ToArray());
    }

    [Theory]
    [MemberData(nameof(SummingNames))]
    public async Task Lines_for_a_stream_see_every_byte(string name)
    {
        byte[] bytes = Content(200_001);
        using var stream = new MemoryStream(bytes);
        Assert.Equal(bytes.Aggregate(0UL, (total, value) => total + value), await Summing[name](stream));
    }

    [Fact]
    public async Task Lines_for_a_text_see_every_line()
    {
        using var stream = new MemoryStream("head,fare\na,b,17.5\nc,d,8\n"u8.ToArray());
        Assert.Equal(25.5m, await Snippets.Lines(stream));
    }

    [Theory]
    [MemberData(nameof(WritingNames))]
    public async Task Lines_write_every_byte(string name)
    {
        string path = Folder["written.bin"];
        byte[] expected = Content(600_001);
        int at = 0;
        Snippets.Format format = room =>
        {
            ReadOnlyMemory<byte> piece = Take(Math.Min(room.Length, 300));
            piece.Span.CopyTo(room);
            return piece.Length;
        };
        await Writing[name](path, expected, () => Take(50_000), format);
        Assert.Equal(expected, await File.ReadAllBytesAsync(path));

        ReadOnlyMemory<byte> Take(int most)
        {
            int length = Math.Min(most, expected.Length - at);
            at += length;
            return expected.AsMemory(at - length, length);
        }
    }

    [Fact]
    public async Task Lines_scan_append_and_copy()
    {
        string path = Folder.Write("text", "one\ntwo\nthree\n"u8.ToArray());
        Assert.Equal(3, await Snippets.ScanLines(path));
        await Snippets.AppendRecord(path, "four\n"u8.ToArray());
        await Snippets.CopyFile(path, path + ".copy");
        Assert.Equal("one\ntwo\nthree\nfour\n", await File.ReadAllTextAsync(path + ".copy"));
    }

    [Fact]
    public void Every_snippet_is_run_by_a_test() => Assert.Equal(
        SnippetText.Names.Order(StringComparer.Ordinal),
        new[] { "MillraceLines.Lines", "FilePipeAppend", "FilePipeCopy", "FilePipeScan" }
            .Concat(Reading.Keys).Concat(Summing.Keys).Concat(Writing.Keys).Order(StringComparer.Ordinal));

    [Fact]
    public void Text_is_that_of_the_compiled_lines_without_their_indent()
    {
        Assert.Equal(
            """
            await using FilePipeReader reader = FilePipe.OpenRead(path);
            while (true)
            {
                ReadResult result = await reader.ReadAsync();
                process(result.Buffer.FirstSpan); // always one segment
                reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    break;
                }
            }
            """.ReplaceLineEndings("\n"),
            SnippetText.Of("FilePipe"));
    }

    [Fact]
    public void Buffer_size_replaces_the_default_in_the_snippet()
    {
        Assert.Contains("new byte[4096]", SnippetText.Of("FileStreamSync", 4096), StringComparison.Ordinal);
        Assert.Contains("bufferSize: 1048576", SnippetText.Of("PipeReaderCreate", 1048576), StringComparison.Ordinal);
        Assert.Equal(SnippetText.Of("FilePipe"), SnippetText.Of("FilePipe", 4096));
    }

    [Fact]
    public void Lines_are_narrow_enough_for_a_terminal()
    {
        Assert.All(
            SnippetText.Names.SelectMany(name => SnippetText.Of(name)!.Split('\n')), line => Assert.True(line.Length <= 75, line));
    }

    [Fact]
    public void Every_method_but_the_laboratorys_own_adapters_has_a_snippet()
    {
        Assert.Equal(["PipePump", "OverlappedPipe"], FilesSuite.AllMethods.Where(method => SnippetText.Of(method) is null));
        Assert.Equal(SnippetText.Of("FilePipeMapped"), SnippetText.Of("MemoryMapped"));
    }

    private static Task Do(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    private static byte[] Content(int length) => Millrace.Testing.Content.Random(length, 5);
}
