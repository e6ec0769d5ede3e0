namespace Millrace.Transfer.Server;

/// <summary>Writes the requested properties of one file or folder after the other.</summary>
internal sealed class PropertyWriter(
    DavWriter xml, string prefix, string title, PropertyQuery query, WriteLocks.Index? locks, StoreSpace space, Func<DateTimeOffset> now)
{
    /// <summary>The date of creation that a client has set; the store has none.</summary>
    private static readonly DavName Created = new(DavName.Dav, "creationdate");

    private readonly List<DavName> _missing = [];

    /// <summary>Writes one response.</summary>
    /// <param name="entry">The file or folder.</param>
    /// <param name="dead">Its properties that clients have set.</param>
    public void Write(in FileEntry entry, ReadOnlySpan<DeadProperty> dead)
    {
        bool isFolder = entry.IsFolder;
        _missing.Clear();
        xml.Raw("<D:response>"u8);
        xml.Href(prefix, entry.Name, isFolder);
        xml.Raw("<D:propstat><D:prop>"u8);
        foreach (LiveProperty property in query.Live)
        {
            if (!(isFolder ? property.IsForFolders : property.IsForFiles) || !TryWrite(property, entry, dead))
            {
                _missing.Add(property.Name);
            }
        }

        if (query.HasAllDead)
        {
            foreach (DeadProperty property in dead)
            {
                if (property.DavName == Created)
                {
                    continue;
                }

                if (query.IsNames)
                {
                    xml.Empty(property.DavName);
                }
                else
                {
                    xml.Raw(property.Xml);
                }
            }
        }

        foreach (DavName name in query.Others)
        {
            if (Find(dead, name) is not { } property)
            {
                _missing.Add(name);
            }
            else if (!query.HasAllDead)
            {
                xml.Raw(property.Xml);
            }
        }

        xml.Raw("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"u8);
        if (_missing.Count > 0 && !query.HasAllDead)
        {
            xml.Raw("<D:propstat><D:prop>"u8);
            foreach (DavName name in _missing)
            {
                xml.Empty(name);
            }

            xml.Raw("</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"u8);
        }

        xml.Raw("</D:response>\n"u8);
    }

    /// <summary>Writes the locks of a file or folder, without the property around them.</summary>
    public static void WriteLocks(DavWriter xml, string prefix, IEnumerable<WriteLock> locks, DateTimeOffset now)
    {
        foreach (WriteLock one in locks)
        {
            xml.Raw("<D:activelock><D:locktype>"u8);
            xml.Raw(one.IsForSync ? "<m:sync xmlns:m=\"https://millrace.dev/\"/>"u8 : "<D:write/>"u8);
            xml.Raw("</D:locktype><D:lockscope>"u8);
            xml.Raw(one.IsShared ? "<D:shared/>"u8 : "<D:exclusive/>"u8);
            xml.Raw("</D:lockscope><D:depth>"u8);
            xml.Raw(one.IsDeep ? "infinity"u8 : "0"u8);
            xml.Raw("</D:depth>"u8);
            if (one.OwnerXml is { } owner)
            {
                xml.Raw(owner);
            }

            xml.Raw("<D:timeout>Second-"u8);
            xml.Number(Math.Max(0, (long)(one.Expires - now).TotalSeconds));
            xml.Raw("</D:timeout><D:locktoken><D:href>"u8);
            xml.Text(one.Token);
            xml.Raw("</D:href></D:locktoken><D:lockroot>"u8);
            xml.Href(prefix, one.Root, one.IsFolder);
            xml.Raw("</D:lockroot></D:activelock>"u8);
        }
    }

    private static DeadProperty? Find(ReadOnlySpan<DeadProperty> dead, DavName name)
    {
        foreach (DeadProperty property in dead)
        {
            if (property.DavName == name)
            {
                return property;
            }
        }

        return null;
    }

    private bool TryWrite(LiveProperty property, in FileEntry entry, ReadOnlySpan<DeadProperty> dead)
    {
        long? bytes = property.Kind switch
        {
            LiveKind.Available => space.AvailableBytes,
            LiveKind.Used => space.UsedBytes,
            _ => 0,
        };
        if (bytes is null)
        {
            return false;
        }

        if (query.IsNames)
        {
            xml.Empty(property.Name);
            return true;
        }

        switch (property.Kind)
        {
            case LiveKind.ResourceType:
                xml.Raw(entry.IsFolder ? "<D:resourcetype><D:collection/></D:resourcetype>"u8 : "<D:resourcetype/>"u8);
                break;
            case LiveKind.DisplayName:
                xml.Raw("<D:displayname>"u8);
                xml.Text(entry.Name.IsRoot ? title : entry.Name.Value.AsSpan(entry.Name.Value.LastIndexOf('/') + 1));
                xml.Raw("</D:displayname>"u8);
                break;
            case LiveKind.Length:
                xml.Raw("<D:getcontentlength>"u8);
                xml.Number(entry.File!.Length);
                xml.Raw("</D:getcontentlength>"u8);
                break;
            case LiveKind.ContentType:
                xml.Raw("<D:getcontenttype>"u8);
                xml.Text(MediaType.Of(entry.Name));
                xml.Raw("</D:getcontenttype>"u8);
                break;
            case LiveKind.Modified:
                xml.Raw("<D:getlastmodified>"u8);
                xml.HttpDate(entry.Modified);
                xml.Raw("</D:getlastmodified>"u8);
                break;
            case LiveKind.WindowsModified:
                xml.Raw("<Z:Win32LastModifiedTime xmlns:Z=\"urn:schemas-microsoft-com:\">"u8);
                xml.HttpDate(entry.Modified);
                xml.Raw("</Z:Win32LastModifiedTime>"u8);
                break;
            case LiveKind.Created:
                if (Find(dead, Created) is { } given)
                {
                    xml.Raw(given.Xml);
                    break;
                }

                xml.Raw("<D:creationdate>"u8);
                xml.IsoDate(entry.Modified);
                xml.Raw("</D:creationdate>"u8);
                break;
            case LiveKind.Tag:
                xml.Raw("<D:getetag>\""u8);
                xml.Text(entry.File!.Tag.Value);
                xml.Raw("\"</D:getetag>"u8);
                break;
            case LiveKind.SupportedLock:
                xml.Raw(locks is null
                    ? "<D:supportedlock/>"u8
                    : "<D:supportedlock><D:lockentry><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry><D:lockentry><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry></D:supportedlock>"u8);
                break;
            case LiveKind.LockDiscovery:
                if (locks is null || locks.IsEmpty)
                {
                    xml.Raw("<D:lockdiscovery/>"u8);
                    break;
                }

                xml.Raw("<D:lockdiscovery>"u8);
                WriteLocks(xml, prefix, locks.Covering(entry.Name), now());
                xml.Raw("</D:lockdiscovery>"u8);
                break;
            case LiveKind.Available or LiveKind.Used:
                xml.Raw("<D:"u8);
                xml.Raw(property.Name.Name);
                xml.Raw(">"u8);
                xml.Number(bytes.Value);
                xml.Raw("</D:"u8);
                xml.Raw(property.Name.Name);
                xml.Raw(">"u8);
                break;
        }

        return true;
    }
}
