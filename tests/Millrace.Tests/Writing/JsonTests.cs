using System.Text.Json;

namespace Millrace.Tests.Writing;

/// <summary>System.Text.Json flushes until <see cref="PipeWriter.UnflushedBytes"/> is low before it asks for the next element.</summary>
public sealed class JsonTests : FolderTests
{
    [Theory, EveryWriter]
    public async Task Asynchronous_elements_are_all_written(string kind)
    {
        await using FilePipeWriter writer = WriterKind.Of(kind).Create(Folder["file"]);
        await SerializeAsync(writer);
        Assert.Equal(0, writer.UnflushedBytes);
        await writer.CommitAsync();
        await CheckAsync(Folder["file"]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Asynchronous_elements_are_appended(bool portable)
    {
        await using (FileAppendWriter writer = FilePipe.Append(Folder["file"], new FileAppendOptions { Portable = portable }))
        {
            await SerializeAsync(writer);
            Assert.Equal(0, writer.UnflushedBytes);
        }

        await CheckAsync(Folder["file"]);
    }

    private static async Task SerializeAsync(PipeWriter writer)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromMinutes(5));
        await JsonSerializer.SerializeAsync(writer, Elements(), cancellationToken: patience.Token);
    }

    private static async Task CheckAsync(string path)
    {
        string[] elements = JsonSerializer.Deserialize<string[]>(await File.ReadAllBytesAsync(path))!;
        Assert.Equal(600, elements.Length);
        Assert.All(elements, (element, index) => Assert.Equal(new string((char)('a' + (index % 26)), 1000), element));
    }

    private static async IAsyncEnumerable<string> Elements()
    {
        for (int i = 0; i < 600; i++)
        {
            await Task.Yield();
            yield return new string((char)('a' + (i % 26)), 1000);
        }
    }
}
