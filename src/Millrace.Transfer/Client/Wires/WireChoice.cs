namespace Millrace.Transfer;

/// <summary>Which wire is used, by what is wanted and what the server offers.</summary>
internal static class WireChoice
{
    /// <summary>Makes the wire.</summary>
    /// <param name="wanted">What the caller wants.</param>
    /// <param name="description">What is offered.</param>
    /// <param name="setup">What HTTP/1.1 at the address that was given needs.</param>
    /// <exception cref="TransferException"><see cref="TransferError.WireNotOffered"/>.</exception>
    public static Wire Make(TransferWire wanted, ServerDescription description, WireSetup setup)
    {
        TransferWire kind = wanted == TransferWire.Auto ? Choose(description, setup.Files) : wanted;
        WireDescription? offered = description.Wires.FirstOrDefault(wire => WireNames.Parse(wire.Name) == kind);
        if (offered is null || (kind == TransferWire.Tus && setup.Uploads is null))
        {
            throw new TransferException(
                TransferError.WireNotOffered,
                $"{setup.Files.Authority} does not offer the wire '{WireNames.Of(kind)}'. It offers "
                + $"{string.Join(", ", description.Wires.Select(wire => wire.Name))}; choose one of these, or 'auto'.")
            {
                Wire = kind,
            };
        }

        setup = setup with { Kind = kind };
        return kind switch
        {
            TransferWire.Tus => new TusWire(setup),
            TransferWire.Http2 => new HttpWire(Move(setup, description, offered)),
            TransferWire.Grpc => new GrpcWire(Move(setup, description, offered) with { Uploads = setup.Uploads }),
            TransferWire.GrpcWeb or TransferWire.GrpcWebText => new GrpcWire(setup),
            _ => new HttpWire(setup),
        };
    }

    /// <summary>
    /// The wire for parts of an upload, where one of the whole may be divided: tus has a way to join them.
    /// </summary>
    /// <returns>Null where the server does not offer it.</returns>
    public static TusWire? MakeParts(ServerDescription description, WireSetup setup) =>
        setup.Uploads is not null && setup.Options.MaxConnections > 1
        && description.Wires.Any(wire => WireNames.Parse(wire.Name) == TransferWire.Tus)
            ? new TusWire(setup with { Kind = TransferWire.Tus })
            : null;

    /// <summary>Without TLS the second version has a port of its own, which a proxy or tunnel on the way may not have: 1.1 then.</summary>
    private static TransferWire Choose(ServerDescription description, Uri files) =>
        files.Scheme == Uri.UriSchemeHttps
        && description.Wires.Any(wire => WireNames.Parse(wire.Name) == TransferWire.Http2 && wire.Scheme == Uri.UriSchemeHttps)
            ? TransferWire.Http2
            : TransferWire.Http1;

    /// <summary>
    /// To the port that is described; unless HTTP/1.1 is described on the same one: then the address that was given leads
    /// there too, whatever is between.
    /// </summary>
    private static WireSetup Move(WireSetup setup, ServerDescription description, WireDescription offered)
    {
        bool shared = description.Wires.Any(wire =>
            WireNames.Parse(wire.Name) == TransferWire.Http1 && wire.Port == offered.Port && wire.Scheme == offered.Scheme);
        return shared
            ? setup
            : setup with { Files = Moved(setup.Files, offered), Uploads = setup.Uploads is { } uploads ? Moved(uploads, offered) : null };
    }

    private static Uri Moved(Uri url, WireDescription offered) =>
        new UriBuilder(url) { Scheme = offered.Scheme, Port = offered.Port }.Uri;
}
