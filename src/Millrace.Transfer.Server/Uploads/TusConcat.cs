namespace Millrace.Transfer.Server;

/// <summary>The field <c>Upload-Concat</c> of tus: <c>partial</c>, or <c>final;</c> and the URLs of the parts.</summary>
internal readonly struct TusConcat
{
    private const string Partial = "partial";
    private const string Final = "final;";

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
    public static bool TryParse(string? field, out TusConcat concat, out string why)
    {
        concat = default;
        why = "";
        if (field is null)
        {
            return true;
        }

        ReadOnlySpan<char> text = field.AsSpan().Trim(' ');
        if (text.Equals(Partial, StringComparison.Ordinal))
        {
            concat = new TusConcat(isPartial: true, parts: null);
            return true;
        }

        if (!text.StartsWith(Final, StringComparison.Ordinal))
        {
            why = "it is neither 'partial' nor 'final;' with the URLs of the parts";
            return false;
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
            if (!UploadId.TryParse(path[(path.LastIndexOf('/') + 1)..], out UploadId id))
            {
                why = $"its part {parts.Count + 1} is not the URL of an upload";
                return false;
            }

            parts.Add(id);
        }

        if (parts.Count == 0)
        {
            why = "it names no parts";
            return false;
        }

        concat = new TusConcat(isPartial: false, parts);
        return true;
    }
}
