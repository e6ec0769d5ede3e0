namespace Millrace.Transfer.Server;

/// <summary>The parsed content of a token file. Immutable.</summary>
internal sealed class TokenSet
{
    private readonly byte[][] _hashes;
    private readonly TransferToken[] _tokens;

    public TokenSet(TokenDocument document)
    {
        Document = document;
        if (document.Version != TokenDocument.CurrentVersion)
        {
            throw new FormatException($"it is of version {document.Version}, and this program supports {TokenDocument.CurrentVersion}");
        }

        if (document.Tokens is null || document.Tokens.Contains(null!))
        {
            throw new FormatException("its list of tokens, or one of them, is null");
        }

        _hashes = [.. document.Tokens.Select(entry => ReadHash(entry))];
        _tokens = [.. document.Tokens.Select(entry => ReadToken(entry))];
        HasRates = _tokens.Any(static token => token.MaxRate is not null);
        Key = document.LinkKey is null
            ? null
            : new LinkKey(document.LinkKeyVersion, Convert.FromBase64String(document.LinkKey));
    }

    public static TokenSet Empty { get; } = new(new TokenDocument());

    public TokenDocument Document { get; }

    public IReadOnlyList<TransferToken> Tokens => _tokens;

    /// <summary>Whether any token has a rate.</summary>
    public bool HasRates { get; }

    /// <summary>Null before the first link.</summary>
    public LinkKey? Key { get; }

    /// <summary>The token with a secret; null when there is none. Takes the same time for any secret.</summary>
    public TransferToken? Find(string secret) => FindByHash(TokenSecret.Hash(secret));

    /// <summary>The token whose secret has a hash; null when there is none. Takes the same time for any hash.</summary>
    public TransferToken? FindByHash(byte[] hash)
    {
        int found = -1;
        for (int i = 0; i < _hashes.Length; i++)
        {
            // No early end: the time must not reveal which token it was.
            found = CryptographicOperations.FixedTimeEquals(_hashes[i], hash) ? i : found;
        }

        return found < 0 ? null : _tokens[found];
    }

    private static byte[] ReadHash(TokenEntry entry)
    {
        byte[] hash = Convert.FromHexString(entry.Sha256 ?? "");
        return hash.Length == SHA256.HashSizeInBytes
            ? hash
            : throw new FormatException($"the hash of '{entry.Name}' is not a SHA-256");
    }

    private static TransferToken ReadToken(TokenEntry entry)
    {
        if (!TransferToken.IsName(entry.Name))
        {
            throw new FormatException("a token has an invalid name");
        }

        if (!TransferScopes.TryParse(entry.Scopes, out TransferScope scopes, out string? unknown))
        {
            throw new FormatException($"'{entry.Name}' has the unknown scope '{unknown}'");
        }

        TransferName prefix = default;
        if (!string.IsNullOrEmpty(entry.Prefix) && !TransferName.TryParse(entry.Prefix, out prefix))
        {
            throw new FormatException($"the prefix of '{entry.Name}' is not a name");
        }

        return new TransferToken(entry.Name, scopes, prefix, entry.Created, entry.Expires)
        {
            MaxRate = entry.MaxRate is null or >= TransferLimits.MinRate
                ? entry.MaxRate
                : throw new FormatException($"the rate of '{entry.Name}' is less than {TransferLimits.MinRate} bytes per second"),
        };
    }
}
