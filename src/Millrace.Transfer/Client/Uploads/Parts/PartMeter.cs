namespace Millrace.Transfer;

/// <summary>Adds how far one part is to how far all of them are.</summary>
internal sealed class PartMeter(UploadParts parts, ProgressMeter whole) : IMeter
{
    private long _last;

    public void Report(long transferred)
    {
        // After an interruption it goes back to what the server has, and so does the sum.
        long sum = parts.Add(transferred - _last);
        _last = transferred;
        whole.Report(sum);
    }
}
