using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The preconditions of a request that changes something (RFC 9110, section 13).</summary>
internal static class WriteConditions
{
    /// <summary>Reads them and checks them against the current file; they are checked again when something is published.</summary>
    /// <exception cref="TransferException">
    /// One is not met, or <see cref="TransferError.InvalidRequest"/>: one cannot be read. To pass over it would be to
    /// overwrite the file that the client wanted to protect.
    /// </exception>
    public static WritePrecondition Read(HttpRequest request, TransferName name, StoredFile? present) =>
        Read(request.Headers.IfMatch, request.Headers.IfNoneMatch, request.Headers.IfUnmodifiedSince, name, present);

    /// <summary>The same with the values of the fields.</summary>
    /// <exception cref="TransferException">As above.</exception>
    public static WritePrecondition Read(
        StringValues match, StringValues none, StringValues since, TransferName name, StoredFile? present)
    {
        WritePrecondition precondition = default;
        if (match.Count > 0)
        {
            precondition = ReadMatch(match, name);
        }
        else if (since.Count > 0
            && HeaderUtilities.TryParseDate(since.ToString(), out DateTimeOffset date))
        {
            // A date that cannot be read has to be passed over: section 13.1.4.
            precondition = new WritePrecondition { UnmodifiedSince = date };
        }

        // Both may be sent, and both have to hold.
        precondition.ThrowIfNotMet(name, present);
        return none.Count > 0
            ? WithNoneMatch(precondition, none, name, present)
            : precondition;
    }

    internal static WritePrecondition ReadMatch(StringValues field, TransferName name)
    {
        IList<EntityTagHeaderValue> tags = Parse(field, HeaderNames.IfMatch, name);
        if (tags.Contains(EntityTagHeaderValue.Any))
        {
            return new WritePrecondition { MustExist = true };
        }

        // Weak tags never match here, because two versions may share one.
        return new WritePrecondition
        {
            Match = [.. tags.Where(static tag => !tag.IsWeak).Select(static tag => ReadConditions.ValueOf(tag))],
        };
    }

    private static WritePrecondition WithNoneMatch(
        WritePrecondition precondition, StringValues field, TransferName name, StoredFile? present)
    {
        IList<EntityTagHeaderValue> tags = Parse(field, HeaderNames.IfNoneMatch, name);
        if (tags.Contains(EntityTagHeaderValue.Any))
        {
            precondition = precondition with { CreateNew = true };
            precondition.ThrowIfNotMet(name, present);
            return precondition;
        }

        if (present is null)
        {
            // Nothing is there, so that no version can be one of those; nothing may have come in between either.
            return precondition with { CreateNew = true };
        }

        if (tags.Any(tag => ReadConditions.ValueOf(tag) == present.Tag))
        {
            throw new TransferException(
                TransferError.PreconditionFailed,
                $"'{name}' has the version {present.Tag}, which the request excludes by If-None-Match.",
                name.Value);
        }

        // It must stay the version that was just found not to be one of those.
        return precondition with { Match = [present.Tag] };
    }

    private static IList<EntityTagHeaderValue> Parse(StringValues field, string fieldName, TransferName name) =>
        EntityTagHeaderValue.TryParseStrictList(field, out IList<EntityTagHeaderValue>? tags) && tags.Count > 0
            ? tags
            : throw Errors.Invalid(
                $"The field {fieldName} of the request for '{name}' cannot be read. It is * or a list of entity tags in quotes.",
                name.Value);
}
