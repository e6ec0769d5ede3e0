using System.Globalization;

namespace Millrace.Tests.Child;

/// <summary>The records that a child appends and its parent looks for.</summary>
internal static class AppendedRecord
{
    /// <summary>A line whose length and content depend on its name.</summary>
    public static string Line(int seed, int writer, int number)
    {
        uint mixed = unchecked((uint)((seed * 31) + (writer * 17) + number) * 2654435761);
        int length = (int)((mixed >> 8) % 97 == 0 ? 300_000 + (mixed % 1000) : mixed % 500);
        return string.Create(CultureInfo.InvariantCulture, $"{writer} {number} {new string((char)('a' + (mixed % 26)), length)}\n");
    }
}
