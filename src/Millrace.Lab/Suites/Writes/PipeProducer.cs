namespace Millrace.Lab.Suites.Writes;

/// <summary>What all producers of pipes have in common.</summary>
internal static class PipeProducer
{
    /// <summary>The smallest chunk, in bytes, that is worth an await of its own; smaller ones are gathered.</summary>
    public const int SmallestWrite = 4096;

    /// <summary>So many bytes are gathered.</summary>
    public const int GatheredBytes = 256 * 1024;
}
