using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>
/// Reads the header of the PROXY protocol, version 2, with which trusted proxies begin a connection, and takes the client's address from
/// it. https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt
/// </summary>
internal sealed class ProxyHeaderReader(TransferHostOptions options, ILogger logger)
{
    private const int HeadBytes = 16;
    private const int Version2 = 0x20;
    private const int Local = 0;
    private const int Proxy = 1;
    private const int Ipv4 = 1;
    private const int Ipv6 = 2;

    /// <summary>A client whose address the proxy does not know: never trusted, and all such clients count as one caller.</summary>
    private static readonly IPEndPoint Unknown = new(IPAddress.Any, 0);

    private static ReadOnlySpan<byte> Signature => "\r\n\r\n\0\r\nQUIT\n"u8;

    /// <summary>Runs a connection with its client's address; one of a trusted proxy that has no such header ends.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        if (!PublicPath.IsTrusted(options, connection.RemoteEndPoint))
        {
            await next(connection);
            return;
        }

        string address = connection.RemoteEndPoint?.ToString() is { Length: > 0 } sender ? sender : "the socket";
        if (await ReadAsync(connection) is { } problem)
        {
            if (problem.Length > 0)
            {
                logger.ProxyHeaderRefused(address, problem);
            }

            return;
        }

        await next(connection);
    }

    /// <summary>Finds the header at the beginning of the received bytes.</summary>
    /// <param name="received">The bytes received so far.</param>
    /// <param name="end">The end of the header.</param>
    /// <param name="source">The client; 0.0.0.0 if the proxy does not know its address, and null if the connection is the proxy's own.</param>
    /// <returns>Whether this is such a header; null if more bytes will show that.</returns>
    internal static bool? TryParse(ReadOnlySequence<byte> received, out SequencePosition end, out IPEndPoint? source)
    {
        source = null;
        end = received.Start;
        Span<byte> head = stackalloc byte[HeadBytes];
        int known = (int)Math.Min(received.Length, HeadBytes);
        received.Slice(0, known).CopyTo(head);
        int signed = Math.Min(known, Signature.Length);
        if (!head[..signed].SequenceEqual(Signature[..signed])
            || (known > 12 && ((head[12] & 0xf0) != Version2 || (head[12] & 0x0f) > Proxy)))
        {
            return false;
        }

        int length = known < HeadBytes ? 0 : BinaryPrimitives.ReadUInt16BigEndian(head[14..]);
        if (known < HeadBytes || received.Length < HeadBytes + length)
        {
            return null;
        }

        end = received.GetPosition(HeadBytes + length);
        int addressBytes = (head[13] >> 4) switch
        {
            Ipv4 => 4,
            Ipv6 => 16,
            _ => 0,
        };
        if ((head[12] & 0x0f) == Local)
        {
            return true;
        }

        if (addressBytes == 0)
        {
            source = Unknown;
            return true;
        }

        // Two addresses, then two ports.
        if (length < (2 * addressBytes) + 4)
        {
            return false;
        }

        Span<byte> addresses = stackalloc byte[36];
        addresses = addresses[..((2 * addressBytes) + 4)];
        received.Slice(HeadBytes, addresses.Length).CopyTo(addresses);
        source = new IPEndPoint(
            new IPAddress(addresses[..addressBytes]), BinaryPrimitives.ReadUInt16BigEndian(addresses[(2 * addressBytes)..]));
        return true;
    }

    /// <returns>Why the connection ends; empty if its sender has ended it, or the server stops; null if it goes on.</returns>
    private async ValueTask<string?> ReadAsync(ConnectionContext connection)
    {
        bool? isHeader = null;
        IPEndPoint? source = null;
        bool? isRead = await ConnectionStart.ReadAsync(connection, options.Limits.HeaderTimeout, bytes =>
            (isHeader = TryParse(bytes, out SequencePosition end, out source)) is null ? null : end);
        if (isRead is not true)
        {
            return isRead is null ? "the header of the PROXY protocol did not arrive in time." : "";
        }

        connection.RemoteEndPoint = source ?? connection.RemoteEndPoint;
        return isHeader is true
            ? null
            : "it does not begin with a header of the PROXY protocol, version 2. Turn that on in the proxy, or off in the server.";
    }
}
