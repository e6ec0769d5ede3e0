using System.Globalization;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>Words that a name has to contain, in any order; without regard to case and accents.</summary>
/// <remarks>
/// The framework decomposes letters only with ICU, which the programs do without. Marks that are separate characters, as in names from
/// macOS, are skipped; composed letters of the tables count as the letters that they are made from.
/// </remarks>
internal sealed class NameQuery
{
    /// <summary>Maximum characters of a query: no name has more.</summary>
    public const int MaxLength = 255;

    /// <summary>Maximum words of a query; further ones are ignored.</summary>
    private const int MaxWords = 16;

    private static readonly (int First, string Letters)[] Tables =
    [
        (0x00C0, "AAAAAAÆCEEEEIIIIÐNOOOOO×OUUUUYÞßAAAAAAÆCEEEEIIIIÐNOOOOO÷OUUUUYÞYAAAAAACCCCCCCCDDDDEEEEEEEEEEGGGG"
            + "GGGGHHHHIIIIIIIIIIĲĲJJKKĸLLLLLLĿĿLLNNNNNNŉŊŊOOOOOOŒŒRRRRRRSSSSSSSSTTTTTTUUUUUUUUUUUUWWYYYZZZZZZS"
            + "ɃƁƂƂƄƄƆƇƇƉƊƋƋƍƎƏƐƑƑƓƔǶƖƗƘƘȽƛƜƝȠƟOOƢƢƤƤƦƧƧƩƪƫƬƬƮUUƱƲƳƳƵƵƷƸƸƺƻƼƼƾǷǀǁǂǃǄǄǄǇǇǇǊǊǊAAIIOOUUUUUUUUUUƎAA"
            + "AAÆÆǤǤGGKKOOOOƷƷJǱǱǱGGǶǷNNAAÆÆOOAAAAEEEEIIIIOOOORRRRUUUUSSTTȜȜHHȠȡȢȢȤȤAAEEOOOOOOOOYY"),
        (0x0386, "Α·ΕΗΙ?Ο?ΥΩΙΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ?ΣΤΥΦΧΨΩΙΥΑΕΗΙΥΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΣΤΥΦΧΨΩΙΥΟΥΩ"),
        (0x0400, "ЕЕЂГЄЅІІЈЉЊЋКИУЏАБВГДЕЖЗИИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯАБВГДЕЖЗИИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЕЕЂГЄЅІІЈЉЊЋКИУЏ"),
        (0x0622, "ااواي"),
        (0x1E00, "AABBBBBBCCDDDDDDDDDDEEEEEEEEEEFFGGHHHHHHHHHHIIIIKKKKKKLLLLLLLLMMMMMMNNNNNNNNOOOOOOOOPPPPRRRRRRRR"
            + "SSSSSSSSSSTTTTTTTTUUUUUUUUUUVVVVWWWWWWWWWWXXXXYYZZZZZZHTWYẚSẜẝẞẟAAAAAAAAAAAAAAAAAAAAAAAAEEEEEEEE"
            + "EEEEEEEEIIIIOOOOOOOOOOOOOOOOOOOOOOOOUUUUUUUUUUUUUUYYYYYYYYỺỺỼỼỾỾ"),
    ];

    private readonly string[] _words;
    private readonly bool[] _isAscii;

    private NameQuery(string[] words)
    {
        _words = words;
        _isAscii = [.. words.Select(static word => Ascii.IsValid(word))];
    }

    /// <exception cref="TransferException">It has no word, or is too long.</exception>
    public static NameQuery Parse(string text)
    {
        if (text.Length > MaxLength)
        {
            throw Errors.Invalid($"The text to search for has {text.Length} characters, but at most {MaxLength} are accepted.");
        }

        string[] words = [.. Fold(text).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Distinct().Take(MaxWords)];
        return words.Length > 0 ? new NameQuery(words) : throw Errors.Invalid("Give a part of the names to search for.");
    }

    /// <summary>Whether a name contains every word. Allocates only for names that are not ASCII.</summary>
    public bool Matches(ReadOnlySpan<char> name)
    {
        if (!Ascii.IsValid(name))
        {
            return MatchesFolded(Fold(name));
        }

        for (int i = 0; i < _words.Length; i++)
        {
            if (!_isAscii[i] || !name.Contains(_words[i], StringComparison.OrdinalIgnoreCase))
            {
                return false;
            }
        }

        return true;
    }

    private bool MatchesFolded(string folded)
    {
        foreach (string word in _words)
        {
            if (!folded.Contains(word, StringComparison.Ordinal))
            {
                return false;
            }
        }

        return true;
    }

    private static string Fold(ReadOnlySpan<char> text)
    {
        var folded = new StringBuilder(text.Length);
        foreach (char letter in text)
        {
            if (letter < 0x80)
            {
                folded.Append(char.ToUpperInvariant(letter));
                continue;
            }

            if (CharUnicodeInfo.GetUnicodeCategory(letter) == UnicodeCategory.NonSpacingMark)
            {
                continue;
            }

            switch (char.ToUpperInvariant(BaseOf(letter)))
            {
                case 'ß' or 'ẞ':
                    folded.Append("SS");
                    break;
                case 'Æ':
                    folded.Append("AE");
                    break;
                case 'Œ':
                    folded.Append("OE");
                    break;
                case var other:
                    folded.Append(other);
                    break;
            }
        }

        return folded.ToString();
    }

    private static char BaseOf(char letter)
    {
        foreach ((int first, string letters) in Tables)
        {
            if (letter >= first && letter < first + letters.Length)
            {
                return letters[letter - first];
            }
        }

        return letter;
    }
}
