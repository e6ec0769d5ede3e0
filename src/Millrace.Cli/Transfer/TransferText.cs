using Millrace.Cli.Copy;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>Transfers in words.</summary>
internal static class TransferText
{
    /// <summary>For example "12 MiB of 100 MiB, 11 MiB/s, 8 s left".</summary>
    public static string Progress(TransferProgress progress)
    {
        string text = SizeText.Of(progress.Transferred);
        text += progress.Total is { } total ? $" of {SizeText.Of(total)}" : "";
        text += progress.BytesPerSecond >= 1 ? $", {Rate(progress.BytesPerSecond)}" : "";
        text += progress.Remaining is { } left && left > TimeSpan.Zero ? $", {Left(left)} left" : "";
        return progress.Attempt > 1 ? $"{text}, attempt {progress.Attempt}" : text;
    }

    /// <summary>For example "293 KiB, in 12 ms (24 MiB/s) by http1, SHA-256 9f86…".</summary>
    public static string Result(TransferResult result, double seconds)
    {
        string text = $"{SizeText.Of(result.Length)}, in {DurationText.Of(seconds)}";
        text += result.Sent > 0 && seconds > 0 ? $" ({Rate(result.Sent / seconds)})" : "";
        text += $" by {ProtocolNames.Of(result.Protocol)}";
        text += result.Sent < result.Length ? $"; continued, {SizeText.Of(result.Sent)} of it now" : "";
        text += result.Attempts > 1 ? $"; {result.Attempts} attempts" : "";
        return result.Sha256 is { } digest ? $"{text}; SHA-256 {digest}" : text;
    }

    /// <summary>For example "12 files, 1.2 GiB, in 3.1 s (396 MiB/s); 2 failed".</summary>
    public static string Summary(IReadOnlyCollection<TransferOutcome> outcomes, double seconds)
    {
        TransferResult[] results = [.. outcomes.Select(outcome => outcome.Result).OfType<TransferResult>()];
        long sent = results.Sum(result => result.Sent);
        string text = $"{Files(results.Length)}, {SizeText.Of(results.Sum(result => result.Length))}, in {DurationText.Of(seconds)}";
        text += sent > 0 && seconds > 0 ? $" ({Rate(sent / seconds)})" : "";
        int failed = outcomes.Count - results.Length;
        return failed > 0 ? $"{text}; {failed} failed" : text;
    }

    /// <summary>For example "1 file" or "12 files".</summary>
    public static string Files(int count) => count == 1 ? "1 file" : $"{count} files";

    private static string Rate(double bytesPerSecond) => SizeText.Of((long)bytesPerSecond) + "/s";

    private static string Left(TimeSpan left) => left switch
    {
        { TotalHours: >= 3 } => $"{left.TotalHours:0} h",
        { TotalMinutes: >= 3 } => $"{left.TotalMinutes:0} min",
        _ => $"{Math.Ceiling(left.TotalSeconds):0} s",
    };
}
