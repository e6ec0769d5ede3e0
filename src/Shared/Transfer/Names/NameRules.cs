using System.Buffers;
using System.Collections.Frozen;
using System.Globalization;
using System.Text;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>The rules for names. One place for every protocol, so that none is more generous than another.</summary>
internal static class NameRules
{
    /// <summary>A quarter of Linux's PATH_MAX (4,096), so that any root still fits in front of it.</summary>
    public const int MaxBytes = 1024;

    /// <summary>NAME_MAX of Linux's file systems.</summary>
    public const int MaxPartBytes = 255;

    /// <summary>The folder below a store's root in which it keeps uploads and digests.</summary>
    public const string HiddenFolder = ".millrace";

    /// <summary>
    /// Characters that a portable name cannot have: control characters, and those that Windows forbids; the slash is the separator. See
    /// "Naming Files, Paths, and Namespaces", learn.microsoft.com/windows/win32/fileio/naming-a-file.
    /// </summary>
    private static readonly SearchValues<char> Forbidden = SearchValues.Create(
        [.. "\\:*?\"<>|", .. Enumerable.Range(0, 0xA0).Select(static code => (char)code).Where(char.IsControl)]);

    /// <summary>Windows takes the superscript digits for ports, too.</summary>
    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> Devices =
        "123456789¹²³".SelectMany(static port => (string[])[$"COM{port}", $"LPT{port}"])
            .Concat(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"])
            .ToFrozenSet(StringComparer.OrdinalIgnoreCase).GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>Windows gives hidden names a second one, of eight characters: this and a digit.</summary>
    private const string ShortName = "MILLRA~";

    /// <summary>Whether a store made this entry of a folder, so that listings may leave it out.</summary>
    public static bool IsOfStore(ReadOnlySpan<char> part) =>
        part.Equals(HiddenFolder, StringComparison.OrdinalIgnoreCase)
        || (part.StartsWith(StagedName.Prefix, StringComparison.Ordinal) && part.EndsWith(StagedName.Suffix, StringComparison.Ordinal));

    /// <summary>Whether a text is a name in the protocol: the root of some store can have a file of this name, and nothing else is meant.</summary>
    public static NameFault Check(ReadOnlySpan<char> text)
    {
        if (text.IsEmpty)
        {
            return NameFault.Empty;
        }

        if (text[0] == '/')
        {
            return NameFault.Absolute;
        }

        if (text.Contains('\0'))
        {
            return NameFault.ForbiddenCharacter;
        }

        if (!TryCount(text, out int bytes))
        {
            return NameFault.NotUnicode;
        }

        if (bytes > MaxBytes)
        {
            return NameFault.TooLong;
        }

        foreach (Range range in text.Split('/'))
        {
            NameFault fault = CheckPart(text[range]);
            if (fault != NameFault.None)
            {
                return fault;
            }
        }

        return NameFault.None;
    }

    /// <summary>Whether Windows can have a file of a name, too.</summary>
    /// <param name="name">A text that <see cref="Check"/> has passed.</param>
    public static bool IsPortable(ReadOnlySpan<char> name)
    {
        if (name.ContainsAny(Forbidden))
        {
            return false;
        }

        foreach (Range range in name.Split('/'))
        {
            ReadOnlySpan<char> part = name[range];
            if (part[^1] is '.' or ' ' || IsDevice(part))
            {
                return false;
            }
        }

        return true;
    }

    public static string Describe(string text, NameFault fault)
    {
        string shown = NameEncoding.Printable(text);
        return fault switch
        {
            NameFault.Empty => "The name is empty. Give the name of a file, for example reports/may.csv.",
            NameFault.TooLong =>
                $"The name '{shown}' is too long: {MaxBytes} bytes at most, {MaxPartBytes} in one part.",
            NameFault.Absolute =>
                $"The name '{shown}' is absolute. Names are relative to the store's root: leave out the first slash.",
            NameFault.EmptyPart => $"The name '{shown}' has an empty part: two slashes, or a trailing one.",
            NameFault.DotPart => $"The name '{shown}' has a part '.' or '..', which no name may have.",
            NameFault.ForbiddenCharacter =>
                $"The name '{shown}' has a character that no name can have: NUL, an encoded slash, or a '%' that was not written %25.",
            NameFault.NotUnicode => $"The name '{shown}' is not valid UTF-8.",
            NameFault.Hidden => $"The name '{shown}' is reserved by the store.",
            _ => $"'{shown}' is a name.",
        };
    }

    /// <summary>Describes why a percent-encoded name is not valid.</summary>
    public static string DescribeEncoded(string encoded) => Describe(
        encoded, NameEncoding.TryDecode(encoded, out string text, out NameFault fault) ? Check(text) : fault);

    private static NameFault CheckPart(ReadOnlySpan<char> part)
    {
        if (part.IsEmpty)
        {
            return NameFault.EmptyPart;
        }

        if (NameEncoding.DecodesToDots(part))
        {
            return NameFault.DotPart;
        }

        // A backslash separates parts on Windows, which may unpack an archive of it or be the system of a mounted folder.
        foreach (Range range in part.Split('\\'))
        {
            if (part[range] is "." or "..")
            {
                return NameFault.DotPart;
            }

            if (IsHidden(part[range]))
            {
                return NameFault.Hidden;
            }
        }

        return Encoding.UTF8.GetByteCount(part) > MaxPartBytes ? NameFault.TooLong : NameFault.None;
    }

    /// <summary>Also as other file systems write these names.</summary>
    private static bool IsHidden(ReadOnlySpan<char> part)
    {
        // Most parts begin with another character, and a listing may have a million names.
        if (part.IsEmpty || (part[0] is not ('.' or 'M' or 'm') && char.IsAscii(part[0])))
        {
            return false;
        }

        // NTFS and FAT leave dots and spaces out at the end, and have streams after a colon.
        part = (part.IndexOf(':') is var colon and >= 0 ? part[..colon] : part).TrimEnd(". ");
        if (!Ascii.IsValid(part))
        {
            // ext4 with folders that ignore case, and HFS+, leave such characters out when they compare names.
            part = string.Concat(part.ToString().EnumerateRunes().Where(static rune => !IsIgnorable(rune)));
        }

        return part.Equals(HiddenFolder, StringComparison.OrdinalIgnoreCase)
            || part.StartsWith(StagedName.Prefix, StringComparison.OrdinalIgnoreCase)
            || (part.StartsWith(ShortName, StringComparison.OrdinalIgnoreCase)
                && part.Length > ShortName.Length && char.IsAsciiDigit(part[ShortName.Length]));
    }

    /// <summary>Default_Ignorable_Code_Point of Unicode: the characters without a glyph.</summary>
    private static bool IsIgnorable(Rune rune) => Rune.GetUnicodeCategory(rune) == UnicodeCategory.Format
        || rune.Value is 0x034F or 0x115F or 0x1160 or 0x17B4 or 0x17B5 or 0x3164 or 0xFFA0
            or (>= 0x180B and <= 0x180F) or (>= 0x2060 and <= 0x206F) or (>= 0xFE00 and <= 0xFE0F)
            or (>= 0xFFF0 and <= 0xFFF8) or (>= 0x1D173 and <= 0x1D17A) or (>= 0xE0000 and <= 0xE0FFF);

    /// <summary>Also with an extension, and with spaces before it: Windows opens the device for all of them.</summary>
    private static bool IsDevice(ReadOnlySpan<char> part)
    {
        int dot = part.IndexOf('.');
        ReadOnlySpan<char> stem = (dot < 0 ? part : part[..dot]).TrimEnd(' ');
        return Devices.Contains(stem);
    }

    private static bool TryCount(ReadOnlySpan<char> text, out int bytes)
    {
        if (Ascii.IsValid(text))
        {
            bytes = text.Length;
            return true;
        }

        bytes = 0;
        while (!text.IsEmpty)
        {
            if (Rune.DecodeFromUtf16(text, out Rune rune, out int consumed) != OperationStatus.Done)
            {
                return false;
            }

            bytes += rune.Utf8SequenceLength;
            text = text[consumed..];
        }

        return true;
    }
}
