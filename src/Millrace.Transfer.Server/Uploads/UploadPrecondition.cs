using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Reads what must be under a name for an upload to become it.</summary>
internal static class UploadPrecondition
{
    /// <summary>Reads <c>If-None-Match</c>, <c>If-Match</c> and <c>If-Unmodified-Since</c>.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: one of them cannot be read.</exception>
    public static WritePrecondition Read(HttpRequest request)
    {
        WritePrecondition precondition = default;
        StringValues noneMatch = request.Headers.IfNoneMatch;
        if (noneMatch.Count > 0)
        {
            if (noneMatch.ToString().Trim() != "*")
            {
                throw Unreadable(HeaderNames.IfNoneMatch, "only * can be asked for when a file is written");
            }

            precondition = precondition with { MustNotExist = true };
        }

        StringValues match = request.Headers.IfMatch;
        if (match.Count > 0)
        {
            precondition = match.ToString().Trim() == "*"
                ? precondition with { MustExist = true }
                : precondition with { Match = ReadTags(match) };
        }
        else if (request.Headers.IfUnmodifiedSince.ToString() is { Length: > 0 } since
            && HeaderUtilities.TryParseDate(since, out DateTimeOffset date))
        {
            // RFC 9110, section 13.1.4: not looked at beside If-Match, nor when it is no date.
            precondition = precondition with { UnmodifiedSince = date };
        }

        return precondition;
    }

    private static List<EntityTag> ReadTags(StringValues field)
    {
        if (!EntityTagHeaderValue.TryParseStrictList(field, out IList<EntityTagHeaderValue>? values))
        {
            throw Unreadable(HeaderNames.IfMatch, "it is neither * nor a list of entity tags in quotes");
        }

        List<EntityTag> tags = [];
        foreach (EntityTagHeaderValue value in values)
        {
            // RFC 9110, section 13.1.1: a weak tag never matches here.
            if (!value.IsWeak)
            {
                tags.Add(new EntityTag(value.Tag.AsSpan().Trim('"').ToString()));
            }
        }

        return tags;
    }

    private static TransferException Unreadable(string field, string why) => new(
        TransferError.InvalidRequest, $"{field} cannot be read: {why}.");
}
