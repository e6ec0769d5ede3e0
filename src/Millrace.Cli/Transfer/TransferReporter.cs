namespace Millrace.Cli.Transfer;

/// <summary>Tells what became of files: as lines at once, or behind the bars where bars are drawn.</summary>
internal sealed class TransferReporter(TransferJob job)
{
    private readonly Lock _lock = new();
    private readonly List<string> _held = [];

    // What is printed in between would tear the bars.
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
                string line = $"millrace {job.Command}: {job.Describe(outcome.Item)}: {TransferFailure.Describe(outcome.Error)}";
                if (_hold)
                {
                    _held.Add(line);
                }
                else
                {
                    Console.Error.WriteLine(line);
                }
            }
            else if (!job.Settings.Quiet && (!_hold || job.Items.Count == 1))
            {
                string line = $"{job.Verb} {job.Describe(outcome.Item)}, {TransferText.Result(outcome.Result!, outcome.Seconds)}.";
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

    /// <summary>Tells of all of them, when nothing more happens.</summary>
    public void Finish(IReadOnlyCollection<TransferOutcome> outcomes, double seconds, bool stopped)
    {
        foreach (string line in _held)
        {
            bool failed = outcomes.Any(outcome => outcome.Error is not null);
            TransferCommand.WriteLine(failed ? Console.Error : job.Output, line);
        }

        if (!job.Settings.Quiet && !job.Settings.Json && job.Items.Count != 1)
        {
            TransferCommand.WriteLine(job.Output, $"{job.Verb} {TransferText.Summary(outcomes, seconds)}.");
        }

        if (stopped)
        {
            int whole = outcomes.Count(outcome => outcome.Error is null);
            string then = job.Continues ? "The same command continues where this one stopped." : "Nothing is left of the others.";
            Console.Error.WriteLine(
                $"millrace {job.Command}: stopped; {whole} of {TransferText.Files(job.Items.Count)} done. {then}");
        }
    }
}
