using System.Globalization;

namespace Millrace.Tests.FilePipes;

/// <summary>Readers and writers that are never completed cost nothing for good: the garbage collector returns their memory.</summary>
public sealed class ForgottenTests : FolderTests
{
    public static TheoryData<string> Kinds => [.. Forgetting.Kinds.Keys];

    [NeedsTheory(Need.Linux), MemberData(nameof(Kinds))]
    public Task Memory_and_files_come_back_without_a_disposal(string kind) => CheckAsync(kind, pooled: false);

    [Trait("Tier", "All")]
    [NeedsTheory(Need.Linux), MemberData(nameof(Kinds))]
    public Task Memory_of_another_pool_comes_back_without_a_disposal(string kind) => CheckAsync(kind, pooled: true);

    private async Task CheckAsync(string kind, bool pooled)
    {
        using ChildProcess child = ChildProcess.StartReturningMemory("forget", Folder.Path, kind, $"{pooled}");
        string[] kept = (await child.ReadLineAsync()).Split(' ');

        // 400 of 256 KiB and more each would be 100.
        Assert.InRange(int.Parse(kept[0], CultureInfo.InvariantCulture), -1000, 50);
        Assert.InRange(int.Parse(kept[1], CultureInfo.InvariantCulture), -1000, 20);

        // Of unreachable readers.
        Assert.Equal("buffers right", string.Join(' ', kept[2..]));
    }
}
