namespace Millrace.Lab.Suites.Transfers;

/// <summary>Where a server behind a link is.</summary>
/// <param name="Server">Through the link and the relay.</param>
/// <param name="Meters">Where it answers for its meters: through the link alone.</param>
/// <param name="Interface">The interface at this end of the link.</param>
internal sealed record LinkAddress(Uri Server, Uri Meters, string Interface)
{
    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static LinkAddress Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new LinkAddress(new Uri(parts[0]), new Uri(parts[1]), parts[2]);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{Server} {Meters} {Interface}";
}
