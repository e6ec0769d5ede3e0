namespace Millrace.Transfer.Server;

/// <summary>The media types of gRPC: a form, optionally followed by <c>+proto</c>, which changes nothing.</summary>
internal static class GrpcMediaType
{
    private const string Proto = "+proto";

    /// <summary>Whether it is any of gRPC's, also one that is not spoken here.</summary>
    public static bool IsAny(string? contentType) =>
        contentType?.StartsWith(GrpcFields.ContentType, StringComparison.OrdinalIgnoreCase) is true;

    /// <returns>False when it is none that is spoken here.</returns>
    public static bool TryParse(string? contentType, out GrpcForm form, out string answer)
    {
        ReadOnlySpan<char> type = contentType;
        int parameters = type.IndexOf(';');
        type = (parameters < 0 ? type : type[..parameters]).Trim();
        bool hasProto = type.EndsWith(Proto, StringComparison.OrdinalIgnoreCase);
        ReadOnlySpan<char> name = hasProto ? type[..^Proto.Length] : type;
        (form, answer) = (GrpcForm.Http2, "");
        if (name.Equals(GrpcFields.ContentType, StringComparison.OrdinalIgnoreCase))
        {
            answer = hasProto ? GrpcFields.ContentType + Proto : GrpcFields.ContentType;
        }
        else if (name.Equals(GrpcFields.WebContentType, StringComparison.OrdinalIgnoreCase))
        {
            (form, answer) = (GrpcForm.Web, GrpcFields.WebContentType + Proto);
        }
        else if (name.Equals(GrpcFields.WebTextContentType, StringComparison.OrdinalIgnoreCase))
        {
            (form, answer) = (GrpcForm.WebText, GrpcFields.WebTextContentType + Proto);
        }

        return answer.Length > 0;
    }
}
