using System.Text;

namespace Millrace.Transfer.S3;

/// <summary>The keys of a bucket: files under their names, everything else below <c>.millrace/</c>, which no name can begin with.</summary>
internal sealed class Keys
{
    /// <summary>Longest key in bytes of UTF-8, of every S3 service.</summary>
    private const int MaxKeyBytes = 1024;

    private readonly string _root;

    /// <param name="prefix">Without a trailing slash; empty for the whole bucket.</param>
    public Keys(string prefix)
    {
        _root = prefix.Length == 0 ? "" : prefix + "/";
        Hidden = _root + ".millrace/";
        Uploads = Hidden + "uploads/";
        Claims = Hidden + "claims/";
        Clock = Hidden + "clock";
        Probe = Hidden + "probe";
        Tokens = Hidden + "tokens.json";
    }

    public string Hidden { get; }

    /// <summary>Whether a store below a folder keeps its own things there.</summary>
    /// <param name="rest">What follows the folder in a key.</param>
    public static bool IsHidden(ReadOnlySpan<char> rest) => rest.StartsWith(".millrace/") || rest.Contains("/.millrace/", StringComparison.Ordinal);

    public string Uploads { get; }

    public string Claims { get; }

    /// <summary>An object whose time is that of the object store.</summary>
    public string Clock { get; }

    /// <summary>An object that exists, for the startup check.</summary>
    public string Probe { get; }

    public string Tokens { get; }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: the key would be too long.</exception>
    public string Of(TransferName name)
    {
        string key = _root + name.Value;
        return IsShort(key) ? key : throw TooLong(name);
    }

    /// <summary>The beginning of all keys in a folder, and the key of an empty folder.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: no key could begin so.</exception>
    public string OfFolder(TransferName folder) => TryOfFolder(folder, out string prefix) ? prefix : throw TooLong(folder);

    /// <returns>False if no key could begin so, and the folder cannot exist.</returns>
    public bool TryOfFolder(TransferName folder, out string prefix)
    {
        prefix = folder.IsRoot ? _root : $"{_root}{folder.Value}/";
        return IsShort(prefix);
    }

    /// <summary>The name of a key; false for keys that are not a valid name, among them all hidden ones.</summary>
    public bool TryName(string key, out TransferName name)
    {
        name = default;
        return key.StartsWith(_root, StringComparison.Ordinal) && TransferName.TryParse(key[_root.Length..], out name);
    }

    /// <summary>Whether a key is foreign: neither a name, nor that of a folder, nor a store's own.</summary>
    public bool IsOmitted(string key) =>
        !TryName(key.EndsWith('/') ? key[..^1] : key, out _) && key.Length > _root.Length && !IsHidden(key.AsSpan(_root.Length));

    public string OfDigest(TransferName name) => $"{Hidden}digests/{Hash(name)}";

    public string OfClaims(TransferName name) => $"{Claims}{Hash(name)}/";

    public string OfUpload(UploadId id) => $"{Uploads}{id.Value}/";

    private static bool IsShort(string key) => Encoding.UTF8.GetByteCount(key) <= MaxKeyBytes;

    private TransferException TooLong(TransferName name) => new(
        TransferError.InvalidName,
        $"The name '{name}' is too long for the bucket: {MaxKeyBytes} bytes at most, with the {_root.Length} of the store's prefix.",
        name.Value);

    private static string Hash(TransferName name) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name.Value)))[..32];
}
