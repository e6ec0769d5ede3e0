namespace Millrace.Tests.Costs;

/// <summary>The cost of a small file is the system calls around its bytes.</summary>
public sealed class SmallFileCallTests : FolderTests
{
    [NeedsFact(Need.Native | Need.Trace)]
    public async Task A_small_file_takes_as_few_calls_as_its_guarantees_allow()
    {
        string data = Directory.CreateDirectory(Folder["data"]).FullName;
        using ChildProcess child = ChildProcess.StartTracedWhole(Folder["log"], data, "small-files", data);
        Assert.Equal(0, await child.EndAsync());
        (string Name, string Path)[] calls = TracedCalls.ReadNames(Folder["log"]);

        // Its lock, its state before and after, its bytes in one read.
        string[] reads = [.. calls.Where(call => call.Path == Path.Combine(data, "read")).Select(call => call.Name)];
        string[] read = ["openat", "flock", "statx", "pread64", "statx", "flock", "close"];
        Assert.Equal(read, reads[^read.Length..]);

        // The name that it is to have; the folder; the staged file, its lock, and whether a clean-up was faster than that.
        string[] writes = [.. calls.SkipWhile(call => !call.Path.EndsWith("written-2", StringComparison.Ordinal)).Select(call => call.Name)];
        Assert.Equal(["statx", "openat", "openat", "flock", "statx", "pwrite64", "renameat", "flock", "close", "close"], writes);
    }
}
