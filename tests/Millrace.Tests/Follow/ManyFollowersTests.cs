using System.Text;

namespace Millrace.Tests.Follow;

/// <summary>A user has 128 instances of inotify for all processes.</summary>
[Collection(ProcessWide.Name)]
public sealed class ManyFollowersTests : FolderTests
{
    [NeedsTheory(Need.Native)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Followers_share_one_instance_of_inotify_and_are_all_told(bool ownFolders)
    {
        const int Followers = 300;
        string[] paths =
        [
            .. Enumerable.Range(0, Followers).Select(i => Folder.Write(ownFolders ? $"{i}/log" : $"log {i}", "one"u8.ToArray())),
        ];
        int before = Instances();
        FilePipeReader[] readers =
        [
            .. paths.Select(path => FilePipe.OpenRead(
                path, new FileReadOptions { Follow = FollowMode.Name, FollowPollInterval = TimeSpan.FromHours(1) })),
        ];
        var reads = new List<Task<ReadResult>>();
        foreach (FilePipeReader reader in readers)
        {
            await reader.SkipAsync(3);
            reads.Add(reader.ReadAsync().AsTask());
        }

        Assert.InRange(Instances(), 0, before + 1);
        foreach (string path in paths)
        {
            await File.AppendAllTextAsync(path, "two");
        }

        foreach (ReadResult result in await Task.WhenAll(reads).Soon())
        {
            Assert.Equal("two", Encoding.UTF8.GetString(result.Buffer));
        }

        foreach (FilePipeReader reader in readers)
        {
            await reader.DisposeAsync();
        }
    }

    private static int Instances() =>
        Directory.GetFiles("/proc/self/fd").Count(file => new FileInfo(file).LinkTarget == "anon_inode:inotify");
}
