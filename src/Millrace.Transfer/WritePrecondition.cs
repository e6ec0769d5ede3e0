namespace Millrace.Transfer;

/// <summary>
/// The condition on a name for a write or a deletion. Checked when it begins and again, in one step with it,
/// when it is published.
/// </summary>
public readonly record struct WritePrecondition
{
    /// <summary>Nothing may be there: <c>If-None-Match: *</c>.</summary>
    public bool CreateNew { get; init; }

    /// <summary>A file must be there, whatever its version: <c>If-Match: *</c>.</summary>
    public bool MustExist { get; init; }

    /// <summary>The file must have one of these tags: <c>If-Match: "…", "…"</c>. Null when any will do.</summary>
    public IReadOnlyList<EntityTag>? Match { get; init; }

    /// <summary>The file must not have changed since: <c>If-Unmodified-Since</c>. Null when it may.</summary>
    public DateTimeOffset? UnmodifiedSince { get; init; }

    /// <summary>Whether there is nothing to check.</summary>
    public bool IsNone => this == default;

    /// <summary>Throws when <paramref name="present"/> does not meet the condition.</summary>
    /// <param name="name">The name that it is about.</param>
    /// <param name="present">The current file; null when there is none.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.AlreadyExists"/> for <see cref="CreateNew"/>,
    /// <see cref="TransferError.PreconditionFailed"/> for the others.
    /// </exception>
    public void ThrowIfNotMet(TransferName name, StoredFile? present)
    {
        if (CreateNew && present is not null)
        {
            throw new TransferException(
                TransferError.AlreadyExists,
                $"'{name}' already exists, and the request was for a new file. Choose another name, or allow replacing it.",
                name.Value);
        }

        if (present is null)
        {
            if (MustExist || Match is not null)
            {
                throw Failed(name, "there is no such file");
            }

            return;
        }

        if (Match is not null && !Match.Contains(present.Tag))
        {
            throw Failed(name, $"its version is {present.Tag}");
        }

        // HTTP's dates have whole seconds.
        if (UnmodifiedSince is { } since && present.Modified.Seconds > since.ToUnixTimeSeconds())
        {
            throw Failed(name, $"it was changed at {present.Modified.ToDateTimeOffset():u}");
        }
    }

    private static TransferException Failed(TransferName name, string why) => new(
        TransferError.PreconditionFailed,
        $"'{name}' is not the version that the request is for: {why}. Check the current version, then decide.",
        name.Value);
}
