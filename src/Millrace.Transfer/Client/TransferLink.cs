namespace Millrace.Transfer;

/// <summary>A signed link: the right to one thing with one file, in place of a token.</summary>
/// <remarks>
/// Its query goes out with GET, HEAD and PUT of that file and with nothing else, and is in no message and no log. Immutable.
/// </remarks>
public sealed class TransferLink
{
    /// <summary>Takes a link apart.</summary>
    /// <param name="name">The file that it is for.</param>
    /// <param name="query">The part of its URL after the question mark, with the question mark or without.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is the root, or <paramref name="query"/> cannot be one.</exception>
    public TransferLink(TransferName name, string query)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (name.IsRoot)
        {
            throw new ArgumentException("A link is for one file, and the root is not a file.", nameof(name));
        }

        query = query.StartsWith('?') ? query[1..] : query;
        if (query.Length == 0 || query.Any(c => c is <= ' ' or '#' or '"' or > '~'))
        {
            // The message does not repeat the text, which may be half of a secret.
            throw new ArgumentException("This is not a valid query of a link. Copy it from the URL as it was printed.", nameof(query));
        }

        Name = name;
        Query = query;
    }

    /// <summary>The file that it is for.</summary>
    public TransferName Name { get; }

    /// <summary>The secret.</summary>
    internal string Query { get; }

    /// <summary>Its file, without what makes it valid.</summary>
    public override string ToString() => $"link to '{Name}'";
}
