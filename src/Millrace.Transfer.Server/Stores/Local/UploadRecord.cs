namespace Millrace.Transfer.Server;

/// <summary>What an upload's state file says. Texts where the public types have no form that a file can keep.</summary>
internal sealed record UploadRecord
{
    /// <summary>The version of this form; another one is not understood.</summary>
    public const int CurrentVersion = 1;

    public int Version { get; init; } = CurrentVersion;

    public string Name { get; init; } = "";

    public long? Length { get; init; }

    public bool CreateNew { get; init; }

    public bool MustExist { get; init; }

    public IReadOnlyList<string>? Match { get; init; }

    public DateTimeOffset? UnmodifiedSince { get; init; }

    public string? Metadata { get; init; }

    public string? Expected { get; init; }

    public string? Owner { get; init; }

    public IReadOnlyList<string>? Parts { get; init; }

    /// <summary>Bytes that were verified; what is behind them is cut after a crash. Null when all that is there counts.</summary>
    public long? Verified { get; init; }

    /// <summary>What it is about to become: if its bytes are gone, it has.</summary>
    public PublishedRecord? Published { get; init; }

    /// <summary>Whether <see cref="Published"/> has happened.</summary>
    public bool IsPublished { get; init; }

    public WritePrecondition ToPrecondition() => new()
    {
        CreateNew = CreateNew,
        MustExist = MustExist,
        Match = Match is null ? null : [.. Match.Select(static tag => new EntityTag(tag))],
        UnmodifiedSince = UnmodifiedSince,
    };

    public TransferName ToName() => Name.Length == 0 ? default : TransferName.Parse(Name);

    public Sha256Digest? ToExpected() =>
        Sha256Digest.TryParse(Expected, out Sha256Digest digest) ? digest : null;

    public static UploadRecord Of(StartUploadOptions options) => new()
    {
        Name = options.Name.Value,
        Length = options.Length,
        CreateNew = options.Precondition.CreateNew,
        MustExist = options.Precondition.MustExist,
        Match = options.Precondition.Match is { } tags ? [.. tags.Select(static tag => tag.Value)] : null,
        UnmodifiedSince = options.Precondition.UnmodifiedSince,
        Metadata = options.Metadata,
        Expected = options.Expected?.ToString(),
        Owner = options.Owner,
    };
}
