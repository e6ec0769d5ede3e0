namespace Millrace.Transfer;

/// <summary>Chooses the protocol by the caller's options and the server's offer.</summary>
internal static class ProtocolChoice
{
    /// <summary>Makes the protocol.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.ProtocolNotOffered"/>.</exception>
    public static Protocol Make(TransferProtocol wanted, ServerDescription description, ProtocolSetup setup)
    {
        TransferProtocol kind = wanted == TransferProtocol.Auto ? Choose(description, setup.Files) : wanted;
        ProtocolDescription? offered = description.Protocols.FirstOrDefault(protocol => ProtocolNames.Parse(protocol.Name) == kind);
        if (offered is null || (kind == TransferProtocol.Tus && setup.Uploads is null))
        {
            throw new TransferException(
                TransferError.ProtocolNotOffered,
                $"{setup.Files.Authority} does not offer the protocol '{ProtocolNames.Of(kind)}'. It offers "
                + $"{string.Join(", ", description.Protocols.Select(protocol => protocol.Name))}; choose one of these, or 'auto'.")
            {
                Protocol = kind,
            };
        }

        setup = setup with { Kind = kind };
        return kind switch
        {
            TransferProtocol.Tus => new TusProtocolClient(setup),
            TransferProtocol.Http2 => new HttpProtocolClient(Move(setup, description, offered)),
            TransferProtocol.Grpc => new GrpcProtocolClient(Move(setup, description, offered) with { Uploads = setup.Uploads }),
            TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText => new GrpcProtocolClient(setup),
            _ => new HttpProtocolClient(setup),
        };
    }

    /// <summary>
    /// The protocol for parts of an upload, where one of the whole may be divided: tus has a way to join them.
    /// </summary>
    /// <returns>Null where the server does not offer it.</returns>
    public static TusProtocolClient? MakeParts(ServerDescription description, ProtocolSetup setup) =>
        setup.Uploads is not null && setup.Options.MaxConnections > 1
        && description.Protocols.Any(protocol => ProtocolNames.Parse(protocol.Name) == TransferProtocol.Tus)
            ? new TusProtocolClient(setup with { Kind = TransferProtocol.Tus })
            : null;

    /// <summary>Without TLS HTTP/2 has a separate port, which a proxy or tunnel on the way may not have: 1.1 then.</summary>
    private static TransferProtocol Choose(ServerDescription description, Uri files) =>
        files.Scheme == Uri.UriSchemeHttps
        && description.Protocols.Any(protocol => ProtocolNames.Parse(protocol.Name) == TransferProtocol.Http2 && protocol.Scheme == Uri.UriSchemeHttps)
            ? TransferProtocol.Http2
            : TransferProtocol.Http1;

    /// <summary>
    /// To the port that is described; unless HTTP/1.1 is described on the same one: then the address that was given leads
    /// there too, whatever is between.
    /// </summary>
    private static ProtocolSetup Move(ProtocolSetup setup, ServerDescription description, ProtocolDescription offered)
    {
        if (setup.Files.Scheme == Uri.UriSchemeHttps && offered.Scheme != Uri.UriSchemeHttps)
        {
            throw new TransferException(
                TransferError.ProtocolNotOffered,
                $"{setup.Files.Authority} offers the protocol '{offered.Name}' only without TLS, and its address begins with https. Choose another one.")
            {
                Protocol = setup.Kind,
            };
        }

        bool shared = description.Protocols.Any(protocol =>
            ProtocolNames.Parse(protocol.Name) == TransferProtocol.Http1 && protocol.Port == offered.Port && protocol.Scheme == offered.Scheme);
        return shared
            ? setup
            : setup with
            {
                Files = Moved(setup.Files, offered),
                Root = setup.Root is { } root ? Moved(root, offered) : null,
                Uploads = setup.Uploads is { } uploads ? Moved(uploads, offered) : null,
            };
    }

    private static Uri Moved(Uri url, ProtocolDescription offered) =>
        new UriBuilder(url) { Scheme = offered.Scheme, Port = offered.Port }.Uri;
}
