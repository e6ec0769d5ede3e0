using System.Text;
using System.Xml;

namespace Millrace.Transfer.S3;

/// <summary>The keys of a bucket: files under their names, everything else below <c>.millrace/</c>, which no name can begin with.</summary>
internal sealed class Keys
{
    /// <summary>Longest key in bytes of UTF-8, of every S3 service.</summary>
    private const int MaxKeyBytes = 1024;

    private readonly string _root;
    private readonly AllowedNames _names;

    /// <param name="prefix">Without a trailing slash; empty for the whole bucket.</param>
    /// <param name="names">The names that are files and folders.</param>
    public Keys(string prefix, AllowedNames names)
    {
        _names = names;
        _root = prefix.Length == 0 ? "" : prefix + "/";
        Hidden = _root + ".millrace/";
        Uploads = Hidden + "uploads/";
        Claims = Hidden + "claims/";
        Trash = Hidden + "trash/";
        Clock = Hidden + "clock";
        Probe = Hidden + "probe";
        Tokens = Hidden + "tokens.json";
    }

    public string Hidden { get; }

    /// <summary>Where a list of all files goes on after a key: everything of the store's own is skipped at once.</summary>
    /// <remarks>All of it begins with small letters, which are before <c>~</c>.</remarks>
    public string SkipHidden(string key) =>
        key.StartsWith(Hidden, StringComparison.Ordinal) && Compare(key, Hidden + "~") < 0 ? Hidden + "~" : key;

    /// <summary>Whether a store below a folder keeps its own things there.</summary>
    /// <param name="rest">What follows the folder in a key.</param>
    public static bool IsHidden(ReadOnlySpan<char> rest) => rest.StartsWith(".millrace/") || rest.Contains("/.millrace/", StringComparison.Ordinal);

    public string Uploads { get; }

    public string Claims { get; }

    /// <summary>Deleted and replaced files.</summary>
    public string Trash { get; }

    /// <summary>An object whose time is that of the object store.</summary>
    public string Clock { get; }

    /// <summary>An object that exists, for the startup check.</summary>
    public string Probe { get; }

    public string Tokens { get; }

    /// <summary>Compares as a bucket does, by UTF-8: surrogates, which stand for characters beyond U+FFFF, are after all others.</summary>
    public static int Compare(string left, string right)
    {
        int common = left.AsSpan().CommonPrefixLength(right);
        if (common == left.Length || common == right.Length)
        {
            return left.Length - right.Length;
        }

        (char a, char b) = (left[common], right[common]);
        return char.IsSurrogate(a) == char.IsSurrogate(b) ? a - b : char.IsSurrogate(a) ? 1 : -1;
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: the store does not take it, or the key would be too long.</exception>
    public string Of(TransferName name)
    {
        string key = _root + Check(name).Value;
        return IsShort(key) ? key : throw TooLong(name);
    }

    /// <summary>The beginning of all keys in a folder, and the key of an empty folder.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: no key could begin so.</exception>
    public string OfFolder(TransferName folder) => TryOfFolder(folder, out string prefix) ? prefix : throw TooLong(folder);

    /// <returns>False if no key could begin so, and the folder cannot exist.</returns>
    public bool TryOfFolder(TransferName folder, out string prefix)
    {
        prefix = folder.IsRoot ? _root : $"{_root}{Check(folder).Value}/";
        return IsShort(prefix);
    }

    /// <summary>The name of a key; false for keys that are not a valid name, among them all hidden ones.</summary>
    public bool TryName(string key, out TransferName name)
    {
        name = default;
        return key.StartsWith(_root, StringComparison.Ordinal) && TransferName.TryParse(key[_root.Length..], out name)
            && _names.Has(name) && IsInXml(name);
    }

    /// <summary>Whether a key is foreign: neither a name, nor that of a folder, nor a store's own.</summary>
    public bool IsOmitted(string key) =>
        !TryName(key.EndsWith('/') ? key[..^1] : key, out _) && key.Length > _root.Length && !IsHidden(key.AsSpan(_root.Length));

    public string OfDigest(TransferName name) => $"{Hidden}digests/{Hash(name)}";

    public string OfClaims(TransferName name) => $"{Claims}{Hash(name)}/";

    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: it would be too long.</exception>
    public string OfDocument(string key)
    {
        string whole = $"{Hidden}documents/{key}";
        return IsShort(whole) ? whole : throw new TransferException(
            TransferError.InvalidName, "The name is too long for the bucket to keep properties beside it. Choose a shorter one.");
    }

    public string OfUpload(UploadId id) => $"{Uploads}{id.Value}/";

    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>.</exception>
    private TransferName Check(TransferName name) => IsInXml(_names.Check(name)) ? name : throw new TransferException(
        TransferError.InvalidName,
        $"'{name}' cannot be in a bucket: S3's documents cannot have its control characters. Choose another name.",
        name.Value);

    /// <summary>The service answers with keys in XML 1.0: starting an upload in parts, for example.</summary>
    private static bool IsInXml(TransferName name)
    {
        try
        {
            XmlConvert.VerifyXmlChars(name.Value);
            return true;
        }
        catch (XmlException)
        {
            return false;
        }
    }

    private static bool IsShort(string key) => Encoding.UTF8.GetByteCount(key) <= MaxKeyBytes;

    private TransferException TooLong(TransferName name) => new(
        TransferError.InvalidName,
        $"The name '{name}' is too long for the bucket: {MaxKeyBytes} bytes at most, with the {_root.Length} of the store's prefix.",
        name.Value);

    private static string Hash(TransferName name) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name.Value)))[..32];
}
