namespace Millrace.Transfer;

/// <summary>What happens to a file's bytes between a message of gRPC and the file.</summary>
public enum ChunkHandling
{
    /// <summary>
    /// No message is made: the header of a chunk is written in front of the bytes where they are, and they are taken out of
    /// what arrives where they are.
    /// </summary>
    Direct,

    /// <summary>A message is an array of <see cref="System.Buffers.ArrayPool{T}.Shared"/>. What a careful application does.</summary>
    RentedArray,

    /// <summary>A message is a new array. What a message-oriented library does by itself.</summary>
    ByteArray,
}
