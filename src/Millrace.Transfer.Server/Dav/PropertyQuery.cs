using System.Xml;

namespace Millrace.Transfer.Server;

/// <summary>The properties that a PROPFIND requests (RFC 4918, section 14.20).</summary>
internal sealed class PropertyQuery
{
    private static readonly PropertyQuery Everything = new() { Live = [.. LiveProperty.OfEverything] };

    private PropertyQuery()
    {
    }

    /// <summary>Whether only names are asked for.</summary>
    public bool IsNames { get; private init; }

    /// <summary>Whether every property that a client has set is asked for.</summary>
    public bool HasAllDead { get; private init; } = true;

    /// <summary>The properties that the server makes.</summary>
    public required IReadOnlyList<LiveProperty> Live { get; init; }

    /// <summary>Others, which a client may have set; those of <see cref="Live"/> that it may set, too.</summary>
    public IReadOnlyList<DavName> Others { get; private init; } = [];

    /// <summary>Reads the body of a request; an empty one asks for everything.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static PropertyQuery Parse(ReadOnlyMemory<byte> body) =>
        body.IsEmpty ? Everything : DavDocument.Read(body, "propfind", Parse);

    private static PropertyQuery Parse(XmlReader reader)
    {
        string? kind = null;
        var names = new List<DavName>();
        DavDocument.ForEachChild(reader, child =>
        {
            bool isInclude = DavDocument.Is(child, "include");
            if (child.NamespaceURI != DavName.Dav || !(isInclude || child.LocalName is "prop" or "allprop" or "propname"))
            {
                // Extensions are passed over (section 17).
                return;
            }

            if (!isInclude)
            {
                kind = kind is null ? child.LocalName : throw Errors.Invalid("A propfind has one of prop, allprop and propname.");
            }

            if (isInclude || kind == "prop")
            {
                DavDocument.ForEachChild(child, property => names.Add(new DavName(property.NamespaceURI, property.LocalName)));
                if (names.Count > DavDocument.MaxProperties)
                {
                    throw Errors.Invalid($"A propfind names {DavDocument.MaxProperties} properties at most.");
                }
            }
        });
        return kind switch
        {
            "allprop" => Of(names, [.. LiveProperty.OfEverything], hasAllDead: true),
            "propname" => new PropertyQuery { IsNames = true, Live = LiveProperty.All },
            "prop" => Of(names, [], hasAllDead: false),
            _ => throw Errors.Invalid("A propfind has one of prop, allprop and propname."),
        };
    }

    private static PropertyQuery Of(List<DavName> names, List<LiveProperty> live, bool hasAllDead)
    {
        var others = new List<DavName>();
        foreach (DavName name in names.Distinct())
        {
            if (LiveProperty.Find(name) is not { } known)
            {
                others.Add(name);
            }
            else if (!live.Contains(known))
            {
                live.Add(known);
            }
        }

        return new PropertyQuery { Live = live, Others = others, HasAllDead = hasAllDead };
    }
}
