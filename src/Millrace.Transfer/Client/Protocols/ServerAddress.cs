namespace Millrace.Transfer;

/// <summary>Addresses that a server names. The token and the file go there, so they must be the server's own.</summary>
internal static class ServerAddress
{
    /// <summary>Resolves an address of the same scheme, host and port.</summary>
    /// <param name="server">The address that was asked, and that the user trusts.</param>
    /// <param name="named">The address in the server's response: a path, or a URL.</param>
    /// <param name="what">The thing at the address, for the message.</param>
    /// <param name="call">The request.</param>
    /// <exception cref="TransferException"><see cref="TransferError.Protocol"/>: it is elsewhere.</exception>
    public static Uri Resolve(Uri server, string named, string what, ProtocolCall call) =>
        Uri.TryCreate(server, named, out Uri? address)
        && Uri.Compare(server, address, UriComponents.SchemeAndServer, UriFormat.UriEscaped, StringComparison.OrdinalIgnoreCase) == 0
            ? address
            : throw Failures.Make(
                TransferError.Protocol,
                call,
                $"the server names '{NameEncoding.Printable(named)}' as {what}, which is not at {server.GetLeftPart(UriPartial.Authority)}. "
                + "Tokens and files are only sent to the given address; use the other one if you trust it.");
}
