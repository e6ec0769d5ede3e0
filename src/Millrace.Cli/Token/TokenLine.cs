using System.Text.Json;
using Millrace.Cli.Serve;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Token;

/// <summary>A token as JSON.</summary>
internal sealed record TokenLine(
    string Name, string Scopes, string? Prefix, DateTimeOffset Created, DateTimeOffset? Expires, string? Token)
{
    /// <summary>Takes what is known of it, and its secret only when it was just made.</summary>
    public static TokenLine Of(TransferToken token, string? secret) => new(
        token.Name,
        TransferScopes.ToText(token.Scopes),
        token.Prefix.IsRoot ? null : token.Prefix.Value,
        token.Created,
        token.Expires,
        secret);

    public string ToJson() => JsonSerializer.Serialize(this, ServeJson.Line.TokenLine);
}
