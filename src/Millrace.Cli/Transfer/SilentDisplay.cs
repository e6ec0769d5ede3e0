using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>Shows nothing: for --quiet and --json.</summary>
internal sealed class SilentDisplay : ITransferDisplay, IProgress<TransferProgress>
{
    /// <inheritdoc/>
    public IProgress<TransferProgress> Begin(TransferItem item) => this;

    /// <inheritdoc/>
    public void End(TransferOutcome outcome)
    {
    }

    /// <inheritdoc/>
    public void Report(TransferProgress value)
    {
    }
}
