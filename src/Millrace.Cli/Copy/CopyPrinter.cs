namespace Millrace.Cli.Copy;

/// <summary>What was copied, how, and how fast, in one line.</summary>
internal static class CopyPrinter
{
    /// <summary>For example "Copied 12 files, 1.2 GiB, in 3.1 s (396 MiB/s): 11 by copy_file_range, 1 by reflink."</summary>
    public static string Describe(CopySummary summary)
    {
        CopiedFile[] copied = [.. summary.Files.Where(file => file.Error is null)];
        string how = copied.Length == 1
            ? copied[0].Method!
            : string.Join(", ", copied
                .GroupBy(file => file.Method, StringComparer.Ordinal)
                .OrderByDescending(group => group.Count())
                .Select(group => $"{group.Count()} by {group.Key}"));
        string what = copied.Length == 1
            ? $"{copied[0].Source} to {copied[0].Destination}"
            : $"{copied.Length} files";
        string text = $"Copied {what}, {SizeText.Of(summary.Bytes)}, in {DurationText.Of(summary.Seconds)}{Rate(summary)}";
        text += how.Length > 0 ? $": {how}" : "";
        text += Holes(copied);
        if (copied.Length > 0 && copied.All(file => file.Sha256 is not null))
        {
            text += copied.Length == 1 ? $"; verified, SHA-256 {copied[0].Sha256}" : "; verified";
        }

        return text + ".";
    }

    // What shares blocks was not copied either, and is no hole.
    private static string Holes(CopiedFile[] copied)
    {
        long holes = copied.Where(file => file.CopiedBytes > 0).Sum(file => file.Bytes!.Value - file.CopiedBytes!.Value);
        return holes > 0 ? $"; {SizeText.Of(holes)} of it are holes" : "";
    }

    private static string Rate(CopySummary summary) => summary is { Bytes: > 0, Seconds: > 0 }
        ? $" ({SizeText.Of((long)(summary.Bytes / summary.Seconds))}/s)"
        : "";
}
