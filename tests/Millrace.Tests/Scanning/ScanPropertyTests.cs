using Millrace.Scanning;

namespace Millrace.Tests.Scanning;

/// <summary>Whatever the records, the ranges are the file, and none of them cuts a record.</summary>
public sealed class ScanPropertyTests
{
    [Fact]
    public void Every_record_is_seen_once_and_in_order() => RandomCases.Check(
        ScanCases.Arbitrary, CheckAsync, perRun: 300, perSoak: 5_000);

    private static async Task CheckAsync(ScanCase given)
    {
        string path = TestFolder.NewPath();
        byte[] content = given.Content();
        await File.WriteAllBytesAsync(path, content);
        int start = (int)Math.Min(given.Options.Offset, content.Length);
        int end = (int)Math.Min(content.Length, start + (given.Options.Length ?? content.Length));
        int[] records = start == end
            ? []
            : [start, .. Enumerable.Range(start, end - start).Skip(1).Where(place => given.Begins(content, place, end))];

        ScannedRange[] ranges = await ScannedRange.ScanAsync(path, given.Degree, given.Boundary(), given.Options);

        Assert.InRange(ranges.Length, 1, Math.Max(1, given.Degree == 0 ? Environment.ProcessorCount : given.Degree));
        Assert.Equal(content[start..end], ranges.SelectMany(range => range.Bytes));
        long next = given.Options.Offset;
        foreach (ScannedRange range in ranges)
        {
            Assert.Equal(next, range.Start);
            Assert.Equal(range.Bytes.Length, range.Length);
            next += range.Length;
            if (records.Length > 0)
            {
                Assert.Contains((int)range.Start, records);
            }
        }

        AssertAsManyAsRecordsAllow(given, ranges.Length, records, start, end);
        File.Delete(path);
    }

    /// <summary>No range is left out that a record begins in: an even part of the bytes for each of the degree.</summary>
    private static void AssertAsManyAsRecordsAllow(ScanCase given, int ranges, int[] records, int start, int end)
    {
        int length = end - start;
        long degree = given.Degree > 0
            ? given.Degree
            : Math.Min(Environment.ProcessorCount, length / RangeCutter.MinAutomaticRange);
        int parts = (int)Math.Max(1, Math.Min(degree, length));
        int[] firsts = [.. Enumerable.Range(0, parts + 1).Select(part => start + (int)((long)length * part / parts))];
        int begun = Enumerable.Range(0, parts)
            .Count(part => records.Any(record => record >= firsts[part] && record < firsts[part + 1]));
        Assert.Equal(Math.Max(1, begun), ranges);
    }
}
