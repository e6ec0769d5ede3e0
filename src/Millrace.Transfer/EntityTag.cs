namespace Millrace.Transfer;

/// <summary>
/// A strong entity tag (RFC 9110, section 8.8.3): two versions of a file with the same tag have the same bytes.
/// </summary>
/// <param name="Value">The tag without its quotes: printable ASCII without a quote.</param>
public readonly record struct EntityTag(string Value)
{
    /// <summary>With its quotes, as a header has it.</summary>
    public override string ToString() => $"\"{Value}\"";
}
