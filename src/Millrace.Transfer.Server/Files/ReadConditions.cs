using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The preconditions of GET and HEAD, in the order of RFC 9110, section 13.2.2.</summary>
internal static class ReadConditions
{
    /// <summary>The outcome of a request's preconditions.</summary>
    public enum Outcome
    {
        /// <summary>The file is sent.</summary>
        Send,

        /// <summary>The client has it already: 304.</summary>
        NotModified,

        /// <summary>It is not the version that was asked for: 412.</summary>
        Failed,
    }

    /// <summary>Looks at If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since.</summary>
    /// <remarks>A date in the future does not identify a version: it comes from a file's own date.</remarks>
    public static Outcome Evaluate(IHeaderDictionary fields, StoredFile file, DateTimeOffset now)
    {
        if (fields.IfMatch is { Count: > 0 } match)
        {
            // One that cannot be read matches nothing.
            if (!Contains(match, file.Tag, weak: false))
            {
                return Outcome.Failed;
            }
        }
        else if (TryDate(fields.IfUnmodifiedSince, out long unmodified) && Seconds(file) > unmodified)
        {
            return Outcome.Failed;
        }

        if (fields.IfNoneMatch is { Count: > 0 } none)
        {
            return Contains(none, file.Tag, weak: true) ? Outcome.NotModified : Outcome.Send;
        }

        return TryDate(fields.IfModifiedSince, out long modified) && Seconds(file) <= modified && modified <= now.ToUnixTimeSeconds()
            ? Outcome.NotModified
            : Outcome.Send;
    }

    /// <summary>
    /// Whether a range may be sent: there is no If-Range, or it names this very version. A weak tag never does, and a date
    /// only when it is exactly that of the file (section 13.1.5).
    /// </summary>
    public static bool AllowRange(IHeaderDictionary fields, StoredFile file, DateTimeOffset now)
    {
        StringValues field = fields.IfRange;
        if (field.Count == 0)
        {
            return true;
        }

        if (field.Count > 1 || !RangeConditionHeaderValue.TryParse(field.ToString(), out RangeConditionHeaderValue? condition))
        {
            return false;
        }

        if (condition.EntityTag is { } tag)
        {
            return !tag.IsWeak && ValueOf(tag) == file.Tag;
        }

        // A date is a strong validator only when a second change in the same second can be excluded (section 8.8.2.2).
        return condition.LastModified is { } date
            && date.ToUnixTimeSeconds() == Seconds(file)
            && now - file.Modified >= TimeSpan.FromSeconds(1);
    }

    /// <summary>The tag without quotes and weakness.</summary>
    public static EntityTag ValueOf(EntityTagHeaderValue tag) => new(tag.Tag.AsSpan().Trim('"').ToString());

    private static bool Contains(StringValues field, EntityTag present, bool weak)
    {
        if (!EntityTagHeaderValue.TryParseStrictList(field, out IList<EntityTagHeaderValue>? tags))
        {
            return false;
        }

        foreach (EntityTagHeaderValue tag in tags)
        {
            if (tag.Equals(EntityTagHeaderValue.Any) || ((weak || !tag.IsWeak) && ValueOf(tag) == present))
            {
                return true;
            }
        }

        return false;
    }

    private static bool TryDate(StringValues field, out long seconds)
    {
        seconds = 0;
        if (field.Count != 1 || !HeaderUtilities.TryParseDate(field.ToString(), out DateTimeOffset date))
        {
            return false;
        }

        seconds = date.ToUnixTimeSeconds();
        return true;
    }

    /// <summary>HTTP's dates have whole seconds.</summary>
    private static long Seconds(StoredFile file) => file.Modified.ToUnixTimeSeconds();
}
