namespace Millrace.Lab.Suites.Transfers;

/// <summary>Where a server is.</summary>
/// <param name="Files">What a TransferClient is given.</param>
/// <param name="Http2">Host and port of HTTP/2 without TLS.</param>
internal sealed record StoreAddress(Uri Files, string Http2)
{
    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static StoreAddress Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new StoreAddress(new Uri(parts[0]), parts[1]);
    }

    public override string ToString() => $"{Files} {Http2}";
}
