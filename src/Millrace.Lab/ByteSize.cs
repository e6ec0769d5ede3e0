namespace Millrace.Lab;

/// <summary>Numbers of bytes as people write them.</summary>
internal static class ByteSize
{
    public const long KiB = 1024;
    public const long MiB = 1024 * KiB;
    public const long GiB = 1024 * MiB;

    /// <summary>For example "2 KiB" or "1.5 MiB"; exact where the number is a multiple of the unit.</summary>
    public static string ToText(long bytes, string separator = " ")
    {
        (long unit, string name) = bytes switch
        {
            >= GiB => (GiB, "GiB"),
            >= MiB => (MiB, "MiB"),
            >= KiB => (KiB, "KiB"),
            _ => (1L, "B"),
        };
        string number = bytes % unit == 0
            ? (bytes / unit).ToString(CultureInfo.InvariantCulture)
            : ((double)bytes / unit).ToString("0.##", CultureInfo.InvariantCulture);
        return number + separator + name;
    }
}
