namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A response as it came over the protocol.</summary>
internal sealed record RawResponse(int Status, string Head, string Body)
{
    public static RawResponse Parse(string text)
    {
        Assert.StartsWith("HTTP/1.1 ", text, StringComparison.Ordinal);
        int end = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
        Assert.True(end > 0, text);
        return new RawResponse(int.Parse(text.AsSpan(9, 3)), text[..end], text[(end + 4)..]);
    }
}
