using System.Text.Json;
using Millrace.Cli.Transfer;

namespace Millrace.Cli.Remove;

/// <summary>A file that was deleted; a line of `millrace rm --json`.</summary>
/// <param name="Url">Its URL.</param>
/// <param name="Name">Its whole name, from the store's root.</param>
/// <param name="Deleted">True.</param>
internal sealed record RemoveLine(string Url, string Name, bool Deleted)
{
    /// <summary>Writes it in one line.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, CommandJson.Line.RemoveLine);
}
