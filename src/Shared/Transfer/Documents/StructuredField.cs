using System.Buffers;
using System.Globalization;

namespace Millrace.Transfer;

/// <summary>
/// Parses the structured fields (RFC 9651) of the protocols: items and dictionaries. Parameters are checked and ignored; a
/// member that is an inner list is refused, because no field here has one.
/// </summary>
internal static class StructuredField
{
    /// <summary>RFC 9651, section 3.3.1: at most 15 digits, so that every language can hold them.</summary>
    private const int MaxDigits = 15;

    private const string Digits = "0123456789";
    private const string Lower = "abcdefghijklmnopqrstuvwxyz";
    private const string Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + Lower;

    private static readonly SearchValues<char> KeyStart = SearchValues.Create(Lower + "*");
    private static readonly SearchValues<char> KeyPart = SearchValues.Create(Lower + Digits + "_-.*");
    private static readonly SearchValues<char> TokenPart = SearchValues.Create(Letters + Digits + "!#$%&'*+-.^_`|~:/");
    private static readonly SearchValues<char> NumberPart = SearchValues.Create(Digits + "-.");
    private static readonly SearchValues<char> Base64 = SearchValues.Create(Letters + Digits + "+/=");

    /// <summary>Parses <c>?0</c> or <c>?1</c>.</summary>
    public static bool TryParseBoolean(ReadOnlySpan<char> field, out bool value)
    {
        bool isItem = TryParseItem(field, out ReadOnlySpan<char> item);
        value = isItem && item is "?1";
        return isItem && item is "?0" or "?1";
    }

    /// <summary>Parses an integer that is not negative.</summary>
    public static bool TryParseCount(ReadOnlySpan<char> field, out long value)
    {
        value = 0;
        return TryParseItem(field, out ReadOnlySpan<char> item) && TryCount(item, out value);
    }

    /// <summary>Reads the item that is the integer, not negative, of a member of a dictionary.</summary>
    public static bool TryCount(ReadOnlySpan<char> item, out long value)
    {
        value = 0;
        return item.Length <= MaxDigits && long.TryParse(item, NumberStyles.None, CultureInfo.InvariantCulture, out value);
    }

    /// <summary>Finds a member of a dictionary; the last one of that name counts (section 4.2.2).</summary>
    /// <param name="field">The field's value; several lines joined by a comma.</param>
    /// <param name="name">The member's key.</param>
    /// <param name="item">Its value as it is written, with colons around bytes; empty without such a member.</param>
    /// <returns>False if the field is malformed, or empty.</returns>
    public static bool TryFindMember(ReadOnlySpan<char> field, ReadOnlySpan<char> name, out ReadOnlySpan<char> item)
    {
        item = default;
        ReadOnlySpan<char> rest = field.Trim(" \t");
        while (TryReadKey(ref rest, out ReadOnlySpan<char> key))
        {
            // A key without a value is true.
            ReadOnlySpan<char> value = "?1";
            if ((TryReadCharacter(ref rest, '=') && !TryReadBareItem(ref rest, out value)) || !TrySkipParameters(ref rest))
            {
                return false;
            }

            item = key.SequenceEqual(name) ? value : item;
            rest = rest.TrimStart(" \t");
            if (rest.IsEmpty)
            {
                return true;
            }

            if (!TryReadCharacter(ref rest, ','))
            {
                return false;
            }

            rest = rest.TrimStart(" \t");
        }

        return false;
    }

    private static bool TryParseItem(ReadOnlySpan<char> field, out ReadOnlySpan<char> item)
    {
        ReadOnlySpan<char> rest = field.Trim(' ');
        return TryReadBareItem(ref rest, out item) && TrySkipParameters(ref rest) && rest.IsEmpty;
    }

    private static bool TryReadKey(scoped ref ReadOnlySpan<char> rest, out ReadOnlySpan<char> key)
    {
        key = Take(ref rest, Count(rest, KeyPart));
        return !key.IsEmpty && KeyStart.Contains(key[0]);
    }

    private static bool TrySkipParameters(scoped ref ReadOnlySpan<char> rest)
    {
        while (TryReadCharacter(ref rest, ';'))
        {
            rest = rest.TrimStart(' ');
            if (!TryReadKey(ref rest, out _) || (TryReadCharacter(ref rest, '=') && !TryReadBareItem(ref rest, out _)))
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryReadBareItem(scoped ref ReadOnlySpan<char> rest, out ReadOnlySpan<char> item)
    {
        char first = rest.IsEmpty ? '\0' : rest[0];
        int length = first switch
        {
            '?' => rest.Length > 1 && rest[1] is '0' or '1' ? 2 : 0,
            ':' => 1 + Count(rest[1..], Base64) is var end && end < rest.Length && rest[end] == ':' ? end + 1 : 0,
            '"' => StringLength(rest),
            '*' or (>= 'a' and <= 'z') or (>= 'A' and <= 'Z') => Count(rest, TokenPart),
            '-' or (>= '0' and <= '9') => Count(rest, NumberPart),
            _ => 0,
        };
        item = Take(ref rest, length);
        return length > 0;
    }

    private static int StringLength(ReadOnlySpan<char> text)
    {
        for (int i = 1; i < text.Length && text[i] is >= ' ' and <= '~'; i++)
        {
            if (text[i] == '"')
            {
                return i + 1;
            }

            i += text[i] == '\\' ? 1 : 0;
        }

        return 0;
    }

    private static bool TryReadCharacter(scoped ref ReadOnlySpan<char> rest, char character)
    {
        bool found = !rest.IsEmpty && rest[0] == character;
        rest = found ? rest[1..] : rest;
        return found;
    }

    private static int Count(ReadOnlySpan<char> text, SearchValues<char> characters) =>
        text.IndexOfAnyExcept(characters) is var end and >= 0 ? end : text.Length;

    private static ReadOnlySpan<char> Take(scoped ref ReadOnlySpan<char> rest, int length)
    {
        ReadOnlySpan<char> taken = rest[..length];
        rest = rest[length..];
        return taken;
    }
}
