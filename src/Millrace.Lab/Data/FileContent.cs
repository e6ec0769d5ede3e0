namespace Millrace.Lab.Data;

/// <summary>What is in a file that is measured, and what its checksum is.</summary>
public enum FileContent
{
    /// <summary>The integers 0, 1, 2 …, or a user's own bytes. Checksum: the sum of the little-endian 64-bit integers.</summary>
    Integers,

    /// <summary>Random bytes, or a user's own. Checksum: the sum of the bytes.</summary>
    Random,

    /// <summary>Text of <see cref="TaxiFareCsv"/>. Checksum: the number of lines.</summary>
    Csv,
}
