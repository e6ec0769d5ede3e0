using System.Text.Json.Serialization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Reports the outcome of files: as lines at once, or after the bars where bars are drawn.</summary>
internal sealed class TransferReporter(TransferJob job)
{
    private readonly Lock _lock = new();
    private readonly List<string> _held = [];

    // Lines printed in between would tear the bars.
    private readonly bool _hold = !job.Settings.Quiet && !job.Settings.Json && !Console.IsErrorRedirected;

    /// <summary>Tells of one file; may be called by several threads.</summary>
    public void Tell(TransferOutcome outcome)
    {
        lock (_lock)
        {
            if (job.Settings.Json)
            {
                TransferCommand.WriteLine(job.Output, TransferLine.Of(outcome).ToJson());
            }
            else if (outcome.Error is not null)
            {
                string line = PrintableText.Clean($"millrace {job.Command}: {job.Describe(outcome.Item)}: {TransferFailure.Explain(outcome.Error)}");
                if (_hold)
                {
                    _held.Add(line);
                }
                else
                {
                    Console.Error.WriteLine(line);
                }
            }
            else if (outcome.Result is { } result && !job.Settings.Quiet && (!_hold || job.Items.Count == 1))
            {
                string line = PrintableText.Clean($"{job.Verb} {job.Describe(outcome.Item)}, {TransferText.Result(result, outcome.Seconds)}.");
                if (_hold)
                {
                    _held.Insert(0, line);
                }
                else
                {
                    TransferCommand.WriteLine(job.Output, line);
                }
            }
        }
    }

    /// <summary>Reports all of them at the end.</summary>
    public void Finish(TransferTotals totals, double seconds, bool stopped)
    {
        foreach (string line in _held)
        {
            TransferCommand.WriteLine(totals.Failed + totals.LeftOut > 0 ? Console.Error : job.Output, line);
        }

        if (!job.Settings.Quiet && !job.Settings.Json && (job.Items.Count != 1 || totals.Present > 0))
        {
            TransferCommand.WriteLine(job.Output, $"{job.Verb} {TransferText.Summary(totals, seconds, job.NameReason)}.");
        }

        if (stopped)
        {
            int whole = totals.Moved + totals.Present;
            string then = job.Continues ? "The same command resumes." : "Nothing is left of the others.";
            Console.Error.WriteLine(
                $"millrace {job.Command}: stopped; {whole} of {TransferText.Files(job.Items.Count)} done. {then}");
        }
    }
}

/// <summary>The outcome of a file; a line of `--json` of put and get. docs/put.md describes it.</summary>
internal sealed record TransferLine
{
    public required string File { get; init; }
    public required string Url { get; init; }
    public required string Name { get; init; }
    public long? Length { get; init; }
    public long? Sent { get; init; }
    public long? Reused { get; init; }
    public bool? Present { get; init; }
    public string? Sha256 { get; init; }
    public string? Etag { get; init; }
    public string? Protocol { get; init; }

    /// <summary>The earlier name of <see cref="Protocol"/>, for programs that read it.</summary>
    public string? Wire => Protocol;
    public int? Attempts { get; init; }
    public double? Seconds { get; init; }
    public string? Error { get; init; }
    public int? Status { get; init; }
    public string? Message { get; init; }

    public static TransferLine Of(TransferOutcome outcome) => new()
    {
        File = outcome.Item.Path,
        Url = outcome.Item.Url,
        Name = outcome.Item.Name.Value,
        Length = outcome.Result?.Length ?? (outcome.IsPresent ? outcome.Item.Remote!.Length : null),
        Present = outcome.IsPresent ? true : null,
        Sent = outcome.Result?.BytesSent,
        Reused = outcome.Result is { BytesReused: > 0 } result ? result.BytesReused : null,
        Sha256 = outcome.Result?.Sha256?.ToString(),
        Etag = outcome.Result?.Tag?.ToString(),
        Protocol = (outcome.Result?.Protocol ?? (outcome.Error as TransferException)?.Protocol) is { } protocol ? ProtocolNames.Of(protocol) : null,
        Attempts = outcome.Result?.Attempts,
        Seconds = outcome.Result is null ? null : Math.Round(outcome.Seconds, 6),
        Error = outcome.Error is null ? null : TransferFailure.KindOf(outcome.Error),
        Status = (outcome.Error as TransferException)?.Status,
        Message = outcome.Error is null ? null : TransferFailure.Describe(outcome.Error),
    };

    public string ToJson() => CommandJson.ToLine(this);
}

/// <summary>A failure that is not a file's, or that of a file that was only looked at or deleted; a line of `--json`.</summary>
internal sealed record FailureLine(string Url, string Error, int? Status, string Message)
{
    public int? Omitted { get; init; }
    public int? OmittedNames { get; init; }
    public int? OmittedKinds { get; init; }
    public int? OmittedUnreadable { get; init; }

    /// <summary>Hidden files and folders that `--hidden` would take along.</summary>
    public int? Hidden { get; init; }

    public static FailureLine Of(string url, Exception exception, OmittedEntries? omitted = null) =>
        new(url, TransferFailure.KindOf(exception), (exception as TransferException)?.Status, TransferFailure.Describe(exception))
        {
            Omitted = omitted?.Total ?? (exception as TransferException)?.Omitted,
            OmittedNames = omitted?.Names,
            OmittedKinds = omitted?.Kinds,
            OmittedUnreadable = omitted?.Unreadable,
            Hidden = (exception as TransferException)?.Hidden,
        };

    public string ToJson() => CommandJson.ToLine(this);
}

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
        text += result.BytesSent > 0 && seconds > 0 ? $" ({Rate(result.BytesSent / seconds)})" : "";
        text += result.Protocol == TransferProtocol.Auto ? "" : $" by {ProtocolNames.Of(result.Protocol)}";
        text += result.BytesReused > 0 ? $"; {SizeText.Of(result.BytesReused)} of it were there, {SizeText.Of(result.BytesSent)} moved"
            : result.BytesSent < result.Length ? $"; continued, {SizeText.Of(result.BytesSent)} of it now" : "";
        text += result.Attempts > 1 ? $"; {result.Attempts} attempts" : "";
        return result.Sha256 is { } digest ? $"{text}; SHA-256 {digest}" : text;
    }

    /// <summary>For example "12 files, 1.2 GiB, in 3.1 s (396 MiB/s); 2 failed; 3 left out: 2 with names that Windows cannot have, 1 …".</summary>
    public static string Summary(TransferTotals totals, double seconds, string nameReason)
    {
        string text = $"{Files(totals.Moved)}, {SizeText.Of(totals.Length)}, in {DurationText.Of(seconds)}";
        text += totals.Sent > 0 && seconds > 0 ? $" ({Rate(totals.Sent / seconds)})" : "";
        text += totals.Present > 0 ? $"; {Files(totals.Present)} {(totals.Present == 1 ? "was" : "were")} there already" : "";
        text += totals.Failed > 0 ? $"; {totals.Failed} failed" : "";
        int leftOut = totals.LeftOut;
        int names = totals.LeftOutByName;
        string reasons = string.Join(", ", new (int Count, string Reason)[] { (names, nameReason), (leftOut - names, "that are links to folders, FIFOs, sockets or devices") }
            .Where(static part => part.Count > 0).Select(static part => $"{part.Count} {part.Reason}"));
        return leftOut > 0 ? $"{text}; {leftOut} left out: {reasons}" : text;
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
