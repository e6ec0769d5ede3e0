using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>Converts scopes to text such as <c>read,write</c>, and back.</summary>
public static class TransferScopes
{
    private static readonly (TransferScope Scope, string Name)[] Names =
    [
        (TransferScope.Read, "read"),
        (TransferScope.Write, "write"),
        (TransferScope.Delete, "delete"),
        (TransferScope.List, "list"),
        (TransferScope.Link, "link"),
    ];

    /// <summary>The names, separated by commas; empty for <see cref="TransferScope.None"/>.</summary>
    public static string ToText(TransferScope scopes) =>
        string.Join(',', Names.Where(item => (scopes & item.Scope) != TransferScope.None).Select(item => item.Name));

    /// <summary>Reads names that are separated by commas, or <c>all</c>.</summary>
    /// <param name="text">For example <c>read,list</c>.</param>
    /// <param name="scopes">All of them together.</param>
    /// <param name="unknown">The first word that is not a scope; null on success.</param>
    public static bool TryParse(string? text, out TransferScope scopes, [NotNullWhen(false)] out string? unknown)
    {
        scopes = TransferScope.None;
        foreach (string word in (text ?? "").Split(',', StringSplitOptions.TrimEntries))
        {
            TransferScope scope = word == "all"
                ? TransferScope.All
                : Names.FirstOrDefault(item => item.Name == word).Scope;
            if (scope == TransferScope.None)
            {
                scopes = TransferScope.None;
                unknown = word;
                return false;
            }

            scopes |= scope;
        }

        unknown = null;
        return true;
    }
}
