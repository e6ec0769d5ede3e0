using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>The field <c>Upload-Concat</c> of tus: <c>partial</c>, or <c>final;</c> and the URLs of the parts.</summary>
internal readonly struct TusConcat
{
    private const string Partial = "partial";
    private const string Final = "final;";

    /// <summary>Characters that are not separators here, raw or escaped, and would join several URLs of a list.</summary>
    private static readonly SearchValues<char> OtherSeparators = SearchValues.Create(",;|+\t\r\n \u00A0");

    private TusConcat(bool isPartial, IReadOnlyList<UploadId>? parts)
    {
        IsPartial = isPartial;
        Parts = parts;
    }

    /// <summary>Whether the upload is only a part of others.</summary>
    public bool IsPartial { get; }

    /// <summary>The parts that are joined, in their order; null when nothing is joined.</summary>
    public IReadOnlyList<UploadId>? Parts { get; }

    /// <remarks>
    /// Of a URL only the last part counts: the same upload has other addresses before a proxy than after it, and the
    /// 128 bits of its id are its own.
    /// </remarks>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static TusConcat Parse(string? field)
    {
        if (field is null)
        {
            return default;
        }

        ReadOnlySpan<char> text = field.AsSpan().Trim(' ');
        if (text.Equals(Partial, StringComparison.Ordinal))
        {
            return new TusConcat(isPartial: true, parts: null);
        }

        if (!text.StartsWith(Final, StringComparison.Ordinal))
        {
            throw Unreadable("it is neither 'partial' nor 'final;' with the URLs of the parts");
        }

        List<UploadId> parts = [];
        ReadOnlySpan<char> urls = text[Final.Length..];
        foreach (Range range in urls.Split(' '))
        {
            ReadOnlySpan<char> url = urls[range];
            if (url.IsEmpty)
            {
                continue;
            }

            int end = url.IndexOfAny('?', '#');
            ReadOnlySpan<char> path = (end < 0 ? url : url[..end]).TrimEnd('/');
            parts.Add(UploadId.TryParse(path[(path.LastIndexOf('/') + 1)..], out UploadId id)
                && !Uri.UnescapeDataString(url).AsSpan().ContainsAny(OtherSeparators)
                ? id
                : throw Unreadable($"its part {parts.Count + 1} is not the URL of an upload. Separate the URLs by spaces"));
        }

        return parts.Count > 0 ? new TusConcat(isPartial: false, parts) : throw Unreadable("it names no parts");
    }

    private static TransferException Unreadable(string why) => Errors.Invalid($"Upload-Concat cannot be read: {why}.");
}
