using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>Shows how far files are that are moved at once. Used by several threads.</summary>
internal interface ITransferDisplay
{
    /// <summary>A file is begun; its progress goes to what is returned.</summary>
    IProgress<TransferProgress> Begin(TransferItem item);

    /// <summary>A file is done with, however that went.</summary>
    void End(TransferOutcome outcome);
}
