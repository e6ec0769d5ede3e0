using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Direct;

/// <summary>What makes it direct: the page cache stays as it is.</summary>
public class DirectCacheTests
{
    private const int Size = (5 * 1024 * 1024) + 321;

    public static TheoryData<string> Engines => DirectReaders.EngineData;

    [NeedsTheory(Need.Linux), MemberData(nameof(Engines))]
    public async Task A_direct_read_leaves_nothing_in_the_page_cache(string engine)
    {
        string path = NewDroppedFile();
        using (FilePipeReader reader = DirectReaders.Open(engine, path, new FileReadOptions { Offset = 1 }))
        {
            await reader.AssertRestAsync(1, Size);
        }

        Assert.Equal(0, DirectNative.ResidentPages(path));
    }

    [NeedsFact(Need.Linux)]
    public async Task A_buffered_read_fills_the_page_cache()
    {
        string path = NewDroppedFile();
        using (FilePipeReader reader =
            FilePipe.OpenRead(path, new FileReadOptions { Strategy = ReadStrategy.Buffered }))
        {
            await reader.AssertRestAsync(0, Size);
        }

        Assert.NotEqual(0, DirectNative.ResidentPages(path));
    }

    private static string NewDroppedFile()
    {
        string path = DirectReaders.NewFile(Size);
        using SafeFileHandle file = Linux.OpenForReading(path);
        Linux.DropFromCache(file);
        Assert.Equal(0, DirectNative.ResidentPages(path));
        return path;
    }
}
