using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A <see cref="FolderLink"/> as it is stored.</summary>
/// <remarks>Not init-only: generated readers set init-only properties that are missing in the file to null.</remarks>
internal sealed record FolderLinkRecord
{
    public const int CurrentVersion = 1;

    [JsonPropertyName("version")]
    [JsonRequired]
    public int Version { get; set; } = CurrentVersion;

    [JsonPropertyName("id")]
    public string Id { get; set; } = "";

    /// <summary>Empty for the root.</summary>
    [JsonPropertyName("folder")]
    public string Folder { get; set; } = "";

    [JsonPropertyName("isDrop")]
    public bool IsDrop { get; set; }

    /// <summary>The names that its maker may use, symbolic links included; null for all.</summary>
    [JsonPropertyName("prefix")]
    public string? Prefix { get; set; }

    /// <summary>The name of the token that made it; null for the command.</summary>
    [JsonPropertyName("owner")]
    public string? Owner { get; set; }

    [JsonPropertyName("created")]
    public DateTimeOffset Created { get; set; }

    [JsonPropertyName("expires")]
    public DateTimeOffset Expires { get; set; }

    [JsonPropertyName("password")]
    public LinkPassword? Password { get; set; }

    [JsonPropertyName("maxUses")]
    public long? MaxUses { get; set; }

    [JsonPropertyName("maxBytes")]
    public long? MaxBytes { get; set; }

    [JsonPropertyName("asksName")]
    public bool AsksName { get; set; }

    [JsonPropertyName("uses")]
    public long Uses { get; set; }

    [JsonPropertyName("bytes")]
    public long Bytes { get; set; }

    /// <summary>Downloads that may be resumed; null without a limit on the uses.</summary>
    [JsonPropertyName("running")]
    public List<RunningUse>? Running { get; set; }

    [JsonIgnore]
    public bool IsLimited => MaxUses is not null || MaxBytes is not null;

    [JsonIgnore]
    public TransferScope Scopes => IsDrop ? TransferScope.Write : TransferScope.Read | TransferScope.List;

    [JsonIgnore]
    public TransferName FolderName => Folder.Length == 0 ? default : TransferName.Parse(Folder);

    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: it is not such a document.</exception>
    public static FolderLinkRecord Parse(StoreDocument stored, string id)
    {
        try
        {
            FolderLinkRecord? record = JsonSerializer.Deserialize(stored.Content.Span, ServerJson.Default.FolderLinkRecord);
            return record is { Version: CurrentVersion, Folder: not null } && record.Id == id
                && (record.Folder.Length == 0 || TransferName.TryParse(record.Folder, out _))
                && (record.Prefix is null || TransferName.TryParse(record.Prefix, out _))
                && record is { MaxUses: null or > 0, MaxBytes: null or > 0, Uses: >= 0, Bytes: >= 0, Password: null or { IsComplete: true } }
                ? record
                : throw new JsonException("a field is missing, or has another value than it may have");
        }
        catch (Exception exception) when (exception is JsonException or FormatException)
        {
            throw new TransferException(
                TransferError.Failed, $"The link {id} cannot be read: {exception.Message} Revoke it and make another.", innerException: exception);
        }
    }

    public byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, ServerJson.Default.FolderLinkRecord);

    public FolderLink ToLink() => new()
    {
        Id = Id,
        Folder = FolderName,
        IsDrop = IsDrop,
        Owner = Owner,
        Created = Created,
        Expires = Expires,
        HasPassword = Password is not null,
        MaxUses = MaxUses,
        MaxBytes = MaxBytes,
        AsksName = AsksName,
        Uses = Uses,
        Bytes = Bytes,
    };
}

/// <summary>A download that was counted, whose parts do not count again.</summary>
internal sealed record RunningUse
{
    /// <summary>Stands for the address, the file and its version.</summary>
    [JsonPropertyName("of")]
    public string Of { get; set; } = "";

    /// <summary>Bytes that parts of it may still have.</summary>
    [JsonPropertyName("left")]
    public long Left { get; set; }

    [JsonPropertyName("until")]
    public DateTimeOffset Until { get; set; }
}
