namespace Millrace;

/// <summary>Which byte of a number comes first.</summary>
public enum ByteOrder
{
    /// <summary>The least significant one, as in the memory of nearly all of today's machines.</summary>
    LittleEndian = 0,

    /// <summary>The most significant one, as in network protocols.</summary>
    BigEndian = 1,
}
