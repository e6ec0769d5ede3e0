namespace Millrace.Transfer;

/// <summary>Tells how far one file of a folder is.</summary>
internal sealed class ItemProgress(FolderItem item, IProgress<FolderProgress> progress) : IProgress<TransferProgress>
{
    private TransferProgress _last;

    public void Report(TransferProgress value)
    {
        _last = value;
        progress.Report(new FolderProgress(item.Name, item.Path, value, null, null));
    }

    public void Finish(TransferResult result) =>
        progress.Report(new FolderProgress(item.Name, item.Path, _last, result, null));

    public void Fail(Exception exception) =>
        progress.Report(new FolderProgress(item.Name, item.Path, _last, null, exception));
}
