using System.Buffers;
using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// The names that files have while they are written: <c>.millrace-</c>, 16 random hexadecimal digits, 8 more that follow
/// from them, <c>.tmp</c>. The last 8 ensure that no other file has such a name by chance.
/// </summary>
internal static class StagedName
{
    private const string Prefix = ".millrace-";
    private const string Suffix = ".tmp";
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

/// <summary>Finds and removes staged files of writers that are no more.</summary>
internal static class StagedCleaner
{
    public static int Clean(string folder)
    {
        int removed = 0;
        try
        {
            foreach (string path in Directory.EnumerateFiles(folder, StagedName.Pattern, Options))
            {
                if (StagedName.Is(Path.GetFileName(path.AsSpan())) && TryRemove(path))
                {
                    removed++;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe(
                "clean up", folder, 0, SystemError.Kind(exception, FilePipeError.Failed), exception);
        }

        return removed;
    }

    private static EnumerationOptions Options { get; } = new()
    {
        AttributesToSkip = FileAttributes.ReparsePoint | FileAttributes.Directory,
        IgnoreInaccessible = false,
        MatchType = MatchType.Simple,
        MatchCasing = MatchCasing.CaseSensitive,
    };

    private static bool TryRemove(string path)
    {
        try
        {
            // Alone with the file, or not at all: its writer holds it shared.
            using SafeFileHandle alone = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            if (OperatingSystem.IsWindows())
            {
                alone.Dispose();
            }

            File.Delete(path);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // In use, or gone, or published in between.
            return false;
        }
    }
}
