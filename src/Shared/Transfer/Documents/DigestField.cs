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

    /// <param name="field">The field's value; several lines joined by a comma.</param>
    /// <param name="digest">The SHA-256; null if the field has only other algorithms, which RFC 9530 wants ignored.</param>
    /// <returns>False if the field is malformed, or its sha-256 is not 32 bytes.</returns>
    public static bool TryParse(ReadOnlySpan<char> field, out Sha256Digest? digest)
    {
        digest = null;
        if (!StructuredField.TryFindMember(field, Key, out ReadOnlySpan<char> item))
        {
            return false;
        }

        if (item.IsEmpty)
        {
            return true;
        }

        bool isDigest = Sha256Digest.TryParse(item.Trim(':'), out Sha256Digest found) && item[0] == ':';
        digest = isDigest ? found : null;
        return isDigest;
    }
}
