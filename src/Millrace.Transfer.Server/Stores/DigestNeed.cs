namespace Millrace.Transfer.Server;

/// <summary>How much a file's digest is worth to the caller.</summary>
public enum DigestNeed
{
    /// <summary>Only when it is known already.</summary>
    IfKnown,

    /// <summary>Also when it takes reading a file that is not large; a larger one is read in the background, for the next.</summary>
    IfCheap,

    /// <summary>In any case.</summary>
    Always,
}
