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
    /// <remarks>
    /// A date in the future does not identify a version: it comes from a file's own date. And an older version may replace a newer
    /// one, so that only the very date means that a client has it.
    /// </remarks>
    public static Outcome Evaluate(IHeaderDictionary fields, StoredFile file, DateTimeOffset now)
    {
        if (fields.IfMatch is { Count: > 0 } match)
        {
            // One that cannot be read matches nothing.
            if (!IsMatched(match, file))
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

        return TryDate(fields.IfModifiedSince, out long modified) && Seconds(file) == modified && modified <= now.ToUnixTimeSeconds()
            ? Outcome.NotModified
            : Outcome.Send;
    }

    /// <summary>
    /// Whether a range may be sent: there is no If-Range, or it names this very version. Neither a weak tag nor a date does
    /// (section 13.1.5): writers give files their dates, so that two versions may share one.
    /// </summary>
    public static bool AllowRange(IHeaderDictionary fields, StoredFile file)
    {
        StringValues field = fields.IfRange;
        if (field.Count == 0)
        {
            return true;
        }

        return field.Count == 1 && RangeConditionHeaderValue.TryParse(field.ToString(), out RangeConditionHeaderValue? condition)
            && condition.EntityTag is { IsWeak: false } tag && ValueOf(tag) == file.Tag;
    }

    /// <summary>The tag without quotes and weakness.</summary>
    public static EntityTag ValueOf(EntityTagHeaderValue tag) => new(tag.Tag.AsSpan().Trim('"').ToString());

    /// <summary>Whether the value of If-Match names this version.</summary>
    public static bool IsMatched(StringValues field, StoredFile file) => Contains(field, file.Tag, weak: false);

    public static TransferException NotMet(StoredFile file) => new(
        TransferError.PreconditionFailed,
        $"'{file.Name}' has the version {file.Tag} of {file.Modified.ToDateTimeOffset():u}, which is not the one that was asked for. Ask again without the condition.",
        file.Name.Value);

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
    private static long Seconds(StoredFile file) => file.Modified.Seconds;
}
