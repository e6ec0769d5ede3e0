using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>A line for a file that takes long, now and then: where no terminal is, as in a log.</summary>
internal sealed class PlainDisplay(TextWriter output) : ITransferDisplay
{
    /// <inheritdoc/>
    public IProgress<TransferProgress> Begin(TransferItem item) => new Line(item, output);

    /// <inheritdoc/>
    public void End(TransferOutcome outcome)
    {
    }

    private sealed class Line(TransferItem item, TextWriter output) : IProgress<TransferProgress>
    {
        // Seldom enough for a log, often enough for somebody who waits.
        private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

        private TimeSpan _next = Interval;

        public void Report(TransferProgress value)
        {
            lock (this)
            {
                if (value.Elapsed < _next)
                {
                    return;
                }

                _next = value.Elapsed + Interval;
            }

            output.WriteLine($"{item.Shown}: {TransferText.Progress(value)}");
        }
    }
}
