using System.Diagnostics;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Moves files, a few at once; what fails does not hold up the others.</summary>
internal static class TransferBatch
{
    /// <summary>Files that are moved at once.</summary>
    public const int AtOnce = FileTurns.LargeAtOnce;

    public static async Task<int> RunAsync(TransferJob job, CancellationToken stop)
    {
        long began = Stopwatch.GetTimestamp();
        var reporter = new TransferReporter(job);
        var totals = new TransferTotals();
        bool stopped = await TransferDisplay
            .RunAsync(job.Settings, job.Items, display => MoveAllAsync(job, display, Done, stop))
            .ConfigureAwait(false);
        reporter.Finish(totals, Stopwatch.GetElapsedTime(began).TotalSeconds, stopped);
        return stopped ? ExitCode.Stopped
            : totals.Failed > 0 ? ExitCode.TransferFailed
            : totals.LeftOut > 0 ? ExitCode.LeftOut
            : ExitCode.Success;

        void Done(TransferOutcome outcome)
        {
            totals.Add(outcome);
            reporter.Tell(outcome);
        }
    }

    private static async Task<bool> MoveAllAsync(
        TransferJob job, ITransferDisplay display, Action<TransferOutcome> done, CancellationToken stop)
    {
        using var turns = new FileTurns(job.SmallAtOnce ?? (static () => FileTurns.SmallAtOnce), yields: job.Receives);

        // A look is a request of its own, and may read the file here.
        using var looks = new FileTurns(static () => FileTurns.SmallAtOnce);
        try
        {
            await Parallel.ForEachAsync(
                job.Items,
                new ParallelOptions { MaxDegreeOfParallelism = job.SmallAtOnce is null ? FileTurns.SmallAtOnce : FileTurns.Most, CancellationToken = stop },
                async (item, cancellationToken) =>
                {
                    TransferOutcome outcome = await MoveAsync(job, item, display, looks, turns, cancellationToken).ConfigureAwait(false);
                    display.End(outcome);
                    done(outcome);
                }).ConfigureAwait(false);
            return false;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return true;
        }
    }

    private static async Task<TransferOutcome> MoveAsync(
        TransferJob job, TransferItem item, ITransferDisplay display, FileTurns looks, FileTurns turns, CancellationToken stop)
    {
        if (item.Refused is not null)
        {
            return new TransferOutcome(item, null, item.Refused, 0);
        }

        long began = Stopwatch.GetTimestamp();
        try
        {
            if (item.Remote is not null && job.IsPresent is { } isPresent
                && await InTurnAsync(looks, item, () => isPresent(item, stop), stop).ConfigureAwait(false))
            {
                return new TransferOutcome(item, null, null, 0);
            }

            return await InTurnAsync(
                turns,
                item,
                async () =>
                {
                    began = Stopwatch.GetTimestamp();
                    TransferResult result = await job.Move(item, display.Begin(item), stop).ConfigureAwait(false);
                    if (result.Attempts > 1)
                    {
                        turns.SlowDown();
                    }

                    return new TransferOutcome(item, result, null, Stopwatch.GetElapsedTime(began).TotalSeconds);
                },
                stop).ConfigureAwait(false);
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception) && !stop.IsCancellationRequested)
        {
            if (exception is TransferException { Error: TransferError.TooManyTransfers })
            {
                turns.SlowDown();
            }

            return new TransferOutcome(item, null, exception, Stopwatch.GetElapsedTime(began).TotalSeconds);
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception))
        {
            // A connection that was being closed may fail before it is canceled.
            throw new OperationCanceledException("Stopped.", exception, stop);
        }
    }

    private static async ValueTask<T> InTurnAsync<T>(FileTurns turns, TransferItem item, Func<ValueTask<T>> run, CancellationToken stop)
    {
        int turn = await turns.EnterAsync(item.IsSmallFile, stop).ConfigureAwait(false);
        try
        {
            return await run().ConfigureAwait(false);
        }
        finally
        {
            turns.Leave(turn);
        }
    }
}

/// <summary>Files to move, and how.</summary>
internal sealed record TransferJob
{
    public required string Command { get; init; }
    public required string Verb { get; init; }

    /// <summary>Why files are left out because of their names, after their number.</summary>
    public required string NameReason { get; init; }
    public required TransferSettings Settings { get; init; }

    /// <summary>Gone through once; of a sync they are made when their turn comes.</summary>
    public required IReadOnlyCollection<TransferItem> Items { get; init; }
    public required Func<TransferItem, IProgress<TransferProgress>, CancellationToken, Task<TransferResult>> Move { get; init; }

    /// <summary>How many small files may move at this moment; null for the usual number.</summary>
    public Func<int>? SmallAtOnce { get; init; }

    /// <summary>Whether files come here.</summary>
    public bool Receives { get; init; }

    /// <summary>Whether the other side has an item with <see cref="TransferItem.Remote"/> already; null for all are moved.</summary>
    public Func<TransferItem, CancellationToken, ValueTask<bool>>? IsPresent { get; init; }
    public required TextWriter Output { get; init; }
    public required Func<TransferItem, string> Describe { get; init; }
    public required bool Continues { get; init; }
}

/// <summary>One file that is to be moved.</summary>
internal sealed record TransferItem(string Path, TransferName Name, string Url, long? Bytes)
{
    public const string Standard = "-";

    /// <summary>The step of a sync that it is; null in other commands.</summary>
    public SyncStep? Step { get; init; }

    public Exception? Refused { get; init; }

    /// <summary>The target of a link that is moved as such; null for a file.</summary>
    public string? LinkTarget { get; init; }

    /// <summary>The file that the server has under this name; null if it has none, or was not asked.</summary>
    public RemoteEntry? Remote { get; init; }

    /// <summary>Whether it was found in a folder, not named by the user, who may not know its other entries.</summary>
    public bool IsFound { get; init; }

    /// <summary>Whether it may travel with others. One that replaces a link needs a request that deletes the link.</summary>
    public bool IsSmallFile => Bytes is <= TransferClient.SmallFileBytes && LinkTarget is null && Step?.LinkTarget is null && Remote?.LinkTarget is null;

    public string Shown => Path == Standard ? "the standard stream" : Path;
}

/// <summary>What became of a <see cref="TransferItem"/>: neither a result nor an error if it was there already.</summary>
internal sealed record TransferOutcome(TransferItem Item, TransferResult? Result, Exception? Error, double Seconds)
{
    /// <summary>Whether it was there already, and was not moved.</summary>
    public bool IsPresent => Result is null && Error is null;

    /// <summary>Whether one of the sides cannot have it, because of its name or its kind, which no other try changes.</summary>
    public bool IsLeftOut => Item.IsFound && Error is TransferException refused
        && (ReferenceEquals(refused, Item.Refused) || refused is { Error: TransferError.InvalidName, Status: not 409 });
}

/// <summary>The outcomes of many files in numbers. Thread-safe.</summary>
internal sealed class TransferTotals
{
    private readonly Lock _lock = new();

    /// <summary>Files that were moved.</summary>
    public int Moved { get; private set; }

    /// <summary>Their bytes.</summary>
    public long Length { get; private set; }

    /// <summary>The bytes of them that were sent.</summary>
    public long Sent { get; private set; }

    /// <summary>Files that were there already.</summary>
    public int Present { get; private set; }

    /// <summary>Files that failed.</summary>
    public int Failed { get; private set; }

    /// <summary>Files that one side cannot have.</summary>
    public int LeftOut { get; private set; }

    /// <summary>Those of them because of their names.</summary>
    public int LeftOutByName { get; private set; }

    public void Add(TransferOutcome outcome)
    {
        lock (_lock)
        {
            if (outcome.Result is { } result)
            {
                Moved++;
                Length += result.Length;
                Sent += result.BytesSent;
            }
            else if (outcome.IsPresent)
            {
                Present++;
            }
            else if (!outcome.IsLeftOut)
            {
                Failed++;
            }
            else
            {
                LeftOut++;
                LeftOutByName += outcome.Error is TransferException { Error: TransferError.InvalidName } ? 1 : 0;
            }
        }
    }
}
