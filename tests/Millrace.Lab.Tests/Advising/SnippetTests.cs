using Millrace.Lab.Tests.Writes;

namespace Millrace.Lab.Tests.Advising;

/// <summary>The shown lines are cut out of the file that is compiled; here they run.</summary>
public sealed class SnippetTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> SumNames =>
        ["Increments.Span", "Increments.Vector", "MillraceBytes.AwaitForEach", "MillraceBytes.Span", "MillraceBytes.Vector"];

    public static TheoryData<string> WriteNames => ["Write.FileStreamSync", "Write.FilePipe", "Write.Small", "Write.None"];

    public static TheoryData<string> OtherNames => ["FilePipeAppend", "FilePipeCopy", "FilePipeScan"];

    public static TheoryData<string> Names =>
    [
        "FileStreamSync", "FileStreamAsync", "PipeReaderCreate", "FilePipe", "FilePipeBuffered", "FilePipeReadAhead",
        "FilePipeMapped", "FilePipeDirect",
    ];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Lines_read_every_byte(string name)
    {
        string path = Path.Combine(_folder.Path, "snippet.bin");
        byte[] expected = new byte[200_001];
        new Random(5).NextBytes(expected);
        await File.WriteAllBytesAsync(path, expected);
        using var read = new MemoryStream();
        Snippets.Process process = bytes => read.Write(bytes);
        Func<Task> run = name switch
        {
            "FileStreamSync" => () =>
            {
                Snippets.FileStreamSync(path, process);
                return Task.CompletedTask;
            }
            ,
            "FileStreamAsync" => () => Snippets.FileStreamAsync(path, process),
            "PipeReaderCreate" => () => Snippets.PipeReaderCreate(path, process),
            "FilePipe" => () => Snippets.FilePipeLoop(path, process),
            "FilePipeBuffered" => () => Snippets.FilePipeBuffered(path, process),
            "FilePipeReadAhead" => () => Snippets.FilePipeReadAhead(path, process),
            "FilePipeMapped" => () => Snippets.FilePipeMapped(path, process),
            "FilePipeDirect" => () => Snippets.FilePipeDirect(path, process),
            _ => throw new InvalidOperationException($"No test runs {name}."),
        };
        await run();
        Assert.Equal(expected, read.ToArray());
    }

    [Theory]
    [MemberData(nameof(SumNames))]
    public async Task Lines_for_a_stream_see_every_byte(string name)
    {
        byte[] bytes = new byte[200_001];
        new Random(5).NextBytes(bytes);
        using var stream = new MemoryStream(bytes);
        ulong sum = await (name switch
        {
            "Increments.Span" => Snippets.IncrementsSpan(stream),
            "Increments.Vector" => Snippets.IncrementsVector(stream),
            "MillraceBytes.AwaitForEach" => Snippets.BytesOneByOne(stream),
            "MillraceBytes.Span" => Snippets.BytesAsSpans(stream),
            "MillraceBytes.Vector" => Snippets.BytesAsVectors(stream),
            _ => throw new InvalidOperationException($"No test runs {name}."),
        });
        Assert.Equal(bytes.Aggregate(0UL, (total, value) => total + value), sum);
    }

    [Fact]
    public async Task Lines_for_a_text_see_every_line()
    {
        using var stream = new MemoryStream("head,fare\na,b,17.5\nc,d,8\n"u8.ToArray());
        Assert.Equal(25.5m, await Snippets.Lines(stream));
    }

    [Theory]
    [MemberData(nameof(WriteNames))]
    public async Task Lines_write_every_byte(string name)
    {
        string path = Path.Combine(_folder.Path, "written.bin");
        byte[] expected = new byte[600_001];
        new Random(5).NextBytes(expected);
        int at = 0;
        Snippets.Next next = () => Take(50_000);
        Snippets.Format format = room =>
        {
            ReadOnlyMemory<byte> piece = Take(Math.Min(room.Length, 300));
            piece.Span.CopyTo(room);
            return piece.Length;
        };
        switch (name)
        {
            case "Write.FileStreamSync":
                Snippets.WriteFileStream(path, next);
                break;
            case "Write.FilePipe":
                await Snippets.WriteFilePipe(path, next);
                break;
            case "Write.Small":
                await Snippets.WriteSmall(path, format);
                break;
            case "Write.None":
                await Snippets.WriteUnflushed(path, expected);
                break;
            default:
                throw new InvalidOperationException($"No test runs {name}.");
        }

        Assert.Equal(expected, await File.ReadAllBytesAsync(path));

        ReadOnlyMemory<byte> Take(int most)
        {
            int length = Math.Min(most, expected.Length - at);
            at += length;
            return expected.AsMemory(at - length, length);
        }
    }

    [Theory]
    [MemberData(nameof(OtherNames))]
    public async Task Lines_append_copy_and_scan(string name)
    {
        string path = Path.Combine(_folder.Path, "text");
        await File.WriteAllTextAsync(path, "one\ntwo\nthree\n");
        Func<Task> run = name switch
        {
            "FilePipeAppend" => async () =>
            {
                await Snippets.AppendRecord(path, "four\n"u8.ToArray());
                Assert.Equal("one\ntwo\nthree\nfour\n", await File.ReadAllTextAsync(path));
            }
            ,
            "FilePipeCopy" => async () =>
            {
                await Snippets.CopyFile(path, path + ".copy");
                Assert.Equal("one\ntwo\nthree\n", await File.ReadAllTextAsync(path + ".copy"));
            }
            ,
            "FilePipeScan" => async () => Assert.Equal(3, await Snippets.ScanLines(path)),
            _ => throw new InvalidOperationException($"No test runs {name}."),
        };
        await run();
    }

    [Fact]
    public void Every_snippet_is_run_by_a_test()
    {
        Assert.Equal(
            SnippetText.Names.Order(StringComparer.Ordinal),
            new[] { Names, SumNames, WriteNames, OtherNames }.SelectMany(names => names.Cast<object[]>()).Select(row => (string)row[0])
                .Append("MillraceLines.Lines").Order(StringComparer.Ordinal));
    }

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
    public void Every_method_but_the_pump_has_a_snippet()
    {
        Assert.Equal(["PipePump"], FilesSuite.AllMethods.Where(method => SnippetText.Of(method) is null));
        Assert.Equal(SnippetText.Of("FilePipeMapped"), SnippetText.Of("MemoryMapped"));
    }
}
