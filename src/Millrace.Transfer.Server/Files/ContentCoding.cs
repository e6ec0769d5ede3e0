using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>A content coding (RFC 9110, section 8.4.1).</summary>
/// <param name="Name">As fields have it; empty for none.</param>
/// <param name="Suffix">The extension of files that are in it.</param>
internal readonly record struct ContentCoding(string Name, string Suffix)
{
    public static readonly ContentCoding Brotli = new("br", ".br");

    public static readonly ContentCoding Gzip = new("gzip", ".gz");

    /// <summary>The bytes as they are.</summary>
    public static readonly ContentCoding Identity = new("", "");

    public bool IsIdentity => string.IsNullOrEmpty(Name);

    /// <summary>The codings that a client accepts, except identity; its preferred one first.</summary>
    /// <param name="field">The field <c>Accept-Encoding</c>.</param>
    /// <returns>Empty when it accepts none, likes the bytes as they are better, or the field cannot be read.</returns>
    public static IReadOnlyList<ContentCoding> Accepted(StringValues field)
    {
        if (field.Count == 0 || !StringWithQualityHeaderValue.TryParseList(
            field, out IList<StringWithQualityHeaderValue>? accepted))
        {
            return [];
        }

        double others = Named(accepted, "*") ?? 0;
        double brotli = Named(accepted, "br") ?? others;
        double gzip = Named(accepted, "gzip") ?? Named(accepted, "x-gzip") ?? others;

        // Not named, the bytes as they are remain acceptable, but only as the last resort.
        double identity = Named(accepted, "identity") ?? 0;
        var codings = new List<ContentCoding>(2);
        if (brotli > 0 && brotli >= identity)
        {
            codings.Add(Brotli);
        }

        if (gzip > 0 && gzip >= identity)
        {
            // At the same quality brotli, whose fastest level makes text smaller than gzip's.
            codings.Insert(gzip > brotli ? 0 : codings.Count, Gzip);
        }

        return codings;
    }

    private static double? Named(IList<StringWithQualityHeaderValue> accepted, string coding)
    {
        double? quality = null;
        foreach (StringWithQualityHeaderValue value in accepted)
        {
            if (value.Value.Equals(coding, StringComparison.OrdinalIgnoreCase))
            {
                quality = value.Quality ?? 1;
            }
        }

        return quality;
    }
}
