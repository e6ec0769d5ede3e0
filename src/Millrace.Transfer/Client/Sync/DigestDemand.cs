namespace Millrace.Transfer;

/// <summary>
/// Tells a listing when digests are needed. While files differ in length or have equal dates, they are not, and looking them up takes a server
/// longer than everything else. Thread-safe.
/// </summary>
internal sealed class DigestDemand
{
    private volatile bool _isMade;

    /// <summary>Whether a digest was needed since the last page was requested.</summary>
    public bool IsMade => _isMade;

    /// <summary>A digest is needed; those of the following files probably are, too.</summary>
    public void Make() => _isMade = true;

    /// <summary>Begins the next page.</summary>
    /// <returns>Whether it is to have digests: they were needed since the page before was requested.</returns>
    public bool Take()
    {
        bool wasMade = _isMade;
        _isMade = false;
        return wasMade;
    }
}
