using System.Globalization;

namespace Millrace.Tests.Costs;

/// <summary>
/// Memory lies in its pages as the bytes do in the file's, for which the kernel copies several times as fast on some processors:
/// docs/measuring.md, "Memory in step with the file".
/// </summary>
public sealed class StepTests : FolderTests
{
    /// <summary>Where bytes that had to be copied first are written from, in bytes out of step.</summary>
    private const int Aside = 2048;

    [NeedsTheory(Need.Native | Need.Trace)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Memory_is_in_step_with_the_file_whatever_is_read_and_written(int seed)
    {
        string log = Folder["log"];
        string data = Directory.CreateDirectory(Folder["data"]).FullName;
        using ChildProcess child = ChildProcess.StartTraced(log, data, "random-calls", data, $"{seed}");
        long[] caller = [.. (await child.ReadLineAsync()).Split(' ').Select(text => long.Parse(text, CultureInfo.InvariantCulture))];
        Assert.Equal(0, await child.EndAsync());

        TracedCall[] calls = TracedCalls.Read(log);
        ILookup<bool, TracedCall> byOwner = calls.ToLookup(call => call.Address >= caller[0] && call.Address < caller[0] + caller[1]);

        Assert.DoesNotContain(calls, call => call.IsSlow);
        Assert.DoesNotContain(
            byOwner[false], call => call.Step is not (0 or Aside) && !call.Path.EndsWith(RandomCalls.Whole, StringComparison.Ordinal));

        // All of it was seen, and some of the caller's chunks would have been slow.
        Assert.Empty(new[] { "preadv2", "pread64", "pwrite64", "pwritev", "writev" }.Except(calls.Select(call => call.Name)));
        Assert.Contains(byOwner[true], call => call.Step != 0);
        Assert.Contains(byOwner[false], call => call.Writes && call.Step == Aside);
    }
}
