using System.Text.Json;
using Millrace.Cli.Serve;

namespace Millrace.Cli.Link;

/// <summary>A signed link as JSON.</summary>
internal sealed record LinkLine(string Url, string Method, string Name, DateTimeOffset Expires)
{
    public string ToJson() => JsonSerializer.Serialize(this, ServeJson.Line.LinkLine);
}
