using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Scanning;

/// <summary>Cuts the wanted part of a file into ranges of about the same length, each from the start of a record.</summary>
internal static class RangeCutter
{
    /// <summary>The shortest range, in bytes, where the number of readers is not the caller's choice.</summary>
    /// <remarks>Below it, waking another thread costs more than it takes off this one. See docs/measuring.md.</remarks>
    public const long MinAutomaticRange = 512 * 1024;

    /// <summary>How many ranges there are for each reader, where they are not shorter than <see cref="MinShare"/>.</summary>
    /// <remarks>
    /// With one for each, all wait for the one whose processor had something else to do. See docs/measuring.md.
    /// </remarks>
    private const int RangesPerReader = 8;

    /// <summary>The shortest range, in bytes, where there are more of them than readers.</summary>
    private const long MinShare = 2 * 1024 * 1024;

    /// <summary>How far a place is looked at before others help, in bytes: a page.</summary>
    private const int FirstLook = 4096;

    /// <summary>How many places are looked at so: from the disk, one after the other, they take time.</summary>
    private const int MaxLooks = 32;

    public static async Task<FileRange[]> CutAsync(
        OpenFile file, int degree, RecordBoundary boundary, CancellationToken cancellationToken)
    {
        // A size of 0 is also what files report whose content is made as it is read, such as those of /proc.
        if (file.Kind != FileKind.Regular || file.SizeAtOpen == 0)
        {
            return [new FileRange(file.Start, file.Limit)];
        }

        long end = Math.Max(file.Start, Math.Min(file.SizeAtOpen, file.Limit));
        long length = end - file.Start;
        int count = Count(degree == 0 ? AutomaticDegree(length) : degree, length);
        if (count == 1)
        {
            return [new FileRange(file.Start, end)];
        }

        var search = new RecordSearch(file, boundary, end);
        long[] found = new long[count - 1];
        var left = new List<int>();
        for (int i = 0; i < found.Length; i++)
        {
            // Most records are short: a look at one page each, here, is sooner done than others are woken for it.
            found[i] = i < MaxLooks
                ? search.FindFirst(Place(i + 1), Math.Min(Place(i + 1) + FirstLook, Place(i + 2)), cancellationToken)
                : RecordSearch.None;
            if (found[i] == RecordSearch.None)
            {
                left.Add(i);
            }
        }

        if (left.Count > 0)
        {
            // Each search ends where the next begins: they can be done at once, and none reads what another does.
            long[] later = await FirstFailure.RunAsync(
                left.Count,
                Environment.ProcessorCount,
                (number, token) => ValueTask.FromResult(FindLater(left[number], token)),
                cancellationToken).ConfigureAwait(false);
            for (int i = 0; i < later.Length; i++)
            {
                found[left[i]] = later[i];
            }
        }

        return ToRanges([file.Start, .. found.Where(static start => start != RecordSearch.None)], end);

        long FindLater(int i, CancellationToken token)
        {
            long from = Place(i + 1) + (i < MaxLooks ? FirstLook : 0);
            return from < Place(i + 2) ? search.FindFirst(from, Place(i + 2), token) : RecordSearch.None;
        }

        long Place(int number) => file.Start + (length / count * number) + (length % count * number / count);
    }

    private static int Count(long readers, long length)
    {
        // A single reader shares with no other.
        long more = readers > 1 ? Math.Min(readers * RangesPerReader, length / MinShare) : 1;
        return (int)Math.Max(1, Math.Min(Math.Max(readers, more), length));
    }

    private static long AutomaticDegree(long length) => Math.Min(Environment.ProcessorCount, length / MinAutomaticRange);

    private static FileRange[] ToRanges(long[] starts, long end)
    {
        var ranges = new FileRange[starts.Length];
        for (int i = 0; i < starts.Length; i++)
        {
            ranges[i] = new FileRange(starts[i], i + 1 < starts.Length ? starts[i + 1] : end);
        }

        return ranges;
    }
}

/// <summary>A part of a file, in bytes from its start.</summary>
internal readonly record struct FileRange(long Start, long End);
