namespace Millrace.Transfer;

/// <summary>
/// The fields <c>Content-Digest</c> and <c>Repr-Digest</c> of RFC 9530: a dictionary of structured fields (RFC 8941)
/// whose values are byte sequences, of which <c>sha-256</c> is understood here.
/// </summary>
internal static class DigestField
{
    private const string Key = "sha-256";

    /// <summary>For example <c>sha-256=:4REjxQ4yrqUVicfSKYNO/cF9zNj5ANbzgDZt3/h3Qxo=:</c>.</summary>
    public static string Format(Sha256Digest digest) => $"{Key}=:{digest.ToBase64()}:";

    /// <summary>Looks for the SHA-256 of a field.</summary>
    /// <param name="field">The field's value; several lines joined by a comma.</param>
    /// <param name="digest">The digest, when there is one.</param>
    /// <returns>False when the field cannot be read: it is malformed, or its sha-256 is not 32 bytes.</returns>
    /// <remarks>Other algorithms are passed over, as RFC 9530 wants it: then the result is true and the digest null.</remarks>
    public static bool TryParse(ReadOnlySpan<char> field, out Sha256Digest? digest)
    {
        digest = null;
        foreach (Range range in field.Split(','))
        {
            ReadOnlySpan<char> member = field[range].Trim(" \t");
            int equals = member.IndexOf('=');
            if (equals <= 0)
            {
                return false;
            }

            ReadOnlySpan<char> value = member[(equals + 1)..];
            int end = value.LastIndexOf(':');
            if (value.IsEmpty || value[0] != ':' || end < 1 || (end + 1 < value.Length && value[end + 1] != ';'))
            {
                return false;
            }

            if (!member[..equals].Equals(Key, StringComparison.Ordinal))
            {
                continue;
            }

            if (!Sha256Digest.TryParse(value[1..end], out Sha256Digest found))
            {
                return false;
            }

            digest = found;
        }

        return true;
    }
}
