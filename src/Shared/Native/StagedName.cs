using System.Buffers;
using System.Globalization;

namespace Millrace.Interop;

/// <summary>
/// The names that files and links have before they get their own: <c>.millrace-</c>, 16 random hexadecimal digits, 8 more that follow
/// from them, <c>.tmp</c>. The last 8 ensure that nothing else has such a name by chance.
/// </summary>
internal static class StagedName
{
    public const string Prefix = ".millrace-";
    public const string Suffix = ".tmp";
    private const int RandomDigits = 16;
    private const int CheckDigits = 8;

    private static readonly SearchValues<char> Digits = SearchValues.Create("0123456789abcdef");

    /// <summary>Matches what <see cref="Is"/> then looks at.</summary>
    public const string Pattern = Prefix + "*" + Suffix;

    public static string Next()
    {
        // Not a secret: the file is created only if nothing has the name. The system's generator took 10 µs of a file's 40.
        ulong number = (ulong)Random.Shared.NextInt64(long.MinValue, long.MaxValue);
        return string.Create(
            CultureInfo.InvariantCulture,
            stackalloc char[Prefix.Length + RandomDigits + CheckDigits + Suffix.Length],
            $"{Prefix}{number:x16}{Check(number):x8}{Suffix}");
    }

    /// <summary>A path of a name for something that is then renamed to another path of the same folder.</summary>
    public static string NextBeside(string path) => Path.Combine(Path.GetDirectoryName(path)!, Next());

    public static bool Is(ReadOnlySpan<char> name)
    {
        if (name.Length != Prefix.Length + RandomDigits + CheckDigits + Suffix.Length
            || !name.StartsWith(Prefix, StringComparison.Ordinal)
            || !name.EndsWith(Suffix, StringComparison.Ordinal))
        {
            return false;
        }

        ReadOnlySpan<char> digits = name[Prefix.Length..^Suffix.Length];
        return !digits.ContainsAnyExcept(Digits)
            && ulong.TryParse(digits[..RandomDigits], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong number)
            && uint.TryParse(digits[RandomDigits..], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint check)
            && check == Check(number);
    }

    // Fibonacci hashing, https://en.wikipedia.org/wiki/Hash_function#Fibonacci_hashing: 2^64 by the golden ratio.
    private static uint Check(ulong number) => (uint)((number * 0x9E3779B97F4A7C15) >> 32);
}
