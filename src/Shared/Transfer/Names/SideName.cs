using System.Security.Cryptography;
using System.Text;

namespace Millrace.Transfer;

/// <summary>Names of files beside another one, which are longer than its name.</summary>
internal static class SideName
{
    private const int DigestDigits = 16;

    /// <summary>A file's name with something in front of it and after it, and room for more; always the same for the same name.</summary>
    /// <returns>If that is longer than a name may be, with a digest in the place of the name's end.</returns>
    public static string Of(string before, string name, string after, int room = 0)
    {
        int most = NameRules.MaxPartBytes - room - Encoding.UTF8.GetByteCount(before) - Encoding.UTF8.GetByteCount(after);
        if (Encoding.UTF8.GetByteCount(name) <= most)
        {
            return $"{before}{name}{after}";
        }

        string digest = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name)))[..DigestDigits];
        int bytes = 0;
        var kept = new StringBuilder();
        foreach (Rune rune in name.EnumerateRunes())
        {
            bytes += rune.Utf8SequenceLength;
            if (bytes > most - DigestDigits - 1)
            {
                break;
            }

            kept.Append(rune.ToString());
        }

        return $"{before}{kept}-{digest}{after}";
    }
}
