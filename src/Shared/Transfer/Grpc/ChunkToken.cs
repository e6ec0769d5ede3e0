namespace Millrace.Transfer;

/// <summary>The token that a <see cref="ChunkParser"/> found.</summary>
internal enum ChunkToken
{
    /// <summary>The input is used up.</summary>
    More,

    /// <summary>A file's bytes follow.</summary>
    Data,

    /// <summary>A message has ended.</summary>
    End,

    /// <summary>The bytes of a compressed message follow.</summary>
    Compressed,
}
