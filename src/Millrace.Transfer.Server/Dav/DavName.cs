namespace Millrace.Transfer.Server;

/// <summary>The name of a property, as XML has it.</summary>
/// <param name="Namespace">Its namespace; empty without one.</param>
/// <param name="Name">Its local name.</param>
internal readonly record struct DavName(string Namespace, string Name)
{
    /// <summary>The namespace of WebDAV's own elements.</summary>
    public const string Dav = "DAV:";

    /// <summary>The namespace of the properties that Windows sets.</summary>
    public const string Microsoft = "urn:schemas-microsoft-com:";
}
