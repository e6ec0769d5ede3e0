namespace Millrace.Transfer.Server;

/// <summary>A property that the server computes.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind">Which one it is.</param>
/// <param name="IsForFolders">Whether folders have it.</param>
/// <param name="IsForFiles">Whether files have it.</param>
/// <param name="IsInAll">Whether it is sent if all properties are requested; RFC 4331 has the quota sent only if it is named.</param>
internal sealed record LiveProperty(DavName Name, LiveKind Kind, bool IsForFolders = true, bool IsForFiles = true, bool IsInAll = true)
{
    public static readonly IReadOnlyList<LiveProperty> All =
    [
        Of("resourcetype", LiveKind.ResourceType),
        Of("displayname", LiveKind.DisplayName),
        Of("getcontentlength", LiveKind.Length, isForFolders: false),
        Of("getcontenttype", LiveKind.ContentType, isForFolders: false),
        Of("getlastmodified", LiveKind.Modified),
        Of("creationdate", LiveKind.Created),
        Of("getetag", LiveKind.Tag, isForFolders: false),
        Of("supportedlock", LiveKind.SupportedLock),
        Of("lockdiscovery", LiveKind.LockDiscovery),
        Of("quota-available-bytes", LiveKind.Available, isForFiles: false, isInAll: false),
        Of("quota-used-bytes", LiveKind.Used, isForFiles: false, isInAll: false),
        new(new DavName(DavName.Microsoft, "Win32LastModifiedTime"), LiveKind.WindowsModified, IsInAll: false),
    ];

    public static readonly IReadOnlyList<LiveProperty> OfEverything = [.. All.Where(static one => one.IsInAll)];

    private static readonly Dictionary<DavName, LiveProperty> ByName = All.ToDictionary(static one => one.Name);

    public static LiveProperty? Find(DavName name) => ByName.GetValueOrDefault(name);

    private static LiveProperty Of(
        string name, LiveKind kind, bool isForFolders = true, bool isForFiles = true, bool isInAll = true) =>
        new(new DavName(DavName.Dav, name), kind, isForFolders, isForFiles, isInAll);
}

internal enum LiveKind
{
    ResourceType,
    DisplayName,
    Length,
    ContentType,
    Modified,
    Created,
    Tag,
    SupportedLock,
    LockDiscovery,
    Available,
    Used,
    WindowsModified,
}
