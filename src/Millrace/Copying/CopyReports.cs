namespace Millrace.Copying;

/// <summary>Tells whoever wants to know how far a copy is, now and then. Not thread-safe.</summary>
internal sealed class CopyReports(IProgress<FileCopyProgress>? progress, long total)
{
    private long _next = KernelSlices.Bytes;

    /// <summary>So many bytes are done.</summary>
    public void Reached(long bytes, bool verifying)
    {
        if (bytes >= _next)
        {
            Report(bytes, verifying);
        }
    }

    /// <summary>All are done, of the copy or of the verification.</summary>
    public void End(long bytes, bool verifying)
    {
        if (bytes == 0 || bytes != _next - KernelSlices.Bytes)
        {
            Report(bytes, verifying);
        }

        _next = KernelSlices.Bytes;
    }

    private void Report(long bytes, bool verifying)
    {
        _next = bytes + KernelSlices.Bytes;
        progress?.Report(new FileCopyProgress(bytes, total, verifying));
    }
}
