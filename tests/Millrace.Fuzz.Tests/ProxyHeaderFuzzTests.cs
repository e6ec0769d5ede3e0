using System.Buffers.Binary;
using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Headers of the PROXY protocol: the request after a valid one is answered, and a connection with any other header ends without a byte,
/// as does one with version 1.
/// </summary>
public sealed class ProxyHeaderFuzzTests(ProxyHeaderFuzzTests.ProxiedServer proxied) : IClassFixture<ProxyHeaderFuzzTests.ProxiedServer>
{
    private const int HeadBytes = 16;

    private static readonly byte[] _request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray();

    private static readonly byte[] _local = Header(0x20, 0, 0);

    private static readonly byte[][] _headers =
    [
        _local,
        Header(0x20, 0x11, 12),
        Header(0x21, 0x00, 0),
        Header(0x21, 0x11, 12),
        Header(0x21, 0x12, 12),
        Header(0x21, 0x21, 36),
        Header(0x21, 0x31, 216),

        // With fields of type, length and value after the addresses.
        Header(0x21, 0x11, 12, 0x03, 0, 4, 1, 2, 3, 4),
        Header(0x21, 0x21, 36, 0x04, 0, 0),
        .. new[]
        {
            "PROXY UNKNOWN\r\n", "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n", "PROXY TCP6 2001:db8::7 2001:db8::1 4711 443\r\n",
            "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "PROXY UNKNOWN ffff:f:f ffff:f:f 65535 65535\r\n", "",
        }.Select(Encoding.ASCII.GetBytes),
    ];

    [Fact]
    public Task Only_a_valid_header_leads_to_an_answer() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            byte[] sent = [.. Mutation.Change(random, random.GetItems(_headers, 1)[0]), .. _request];
            input.Add(sent);
            int? end = EndOf(sent);
            bool isAsked = end is { } at && sent.AsSpan(at).SequenceEqual(_request);
            byte[] response = await proxied.Server.ExchangeAsync(random, sent, whole: isAsked);
            if (isAsked)
            {
                Assert.Equal(200, FuzzedServer.Status(response));
            }
            else if (end is null)
            {
                Assert.Empty(response);
            }
        },
        proxied.Server.CheckAsync);

    /// <summary>A header of version 2 with addresses of zeros, and fields after them.</summary>
    private static byte[] Header(byte version, byte family, int addressBytes, params byte[] fields)
    {
        byte[] header = [.. "\r\n\r\n\0\r\nQUIT\n"u8, version, family, 0, 0, .. new byte[addressBytes], .. fields];
        BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(14), (ushort)(addressBytes + fields.Length));
        return header;
    }

    /// <summary>Where a valid header ends, by section 2.2 of the specification; null without one.</summary>
    private static int? EndOf(byte[] sent)
    {
        if (sent.Length < HeadBytes || !sent.AsSpan().StartsWith("\r\n\r\n\0\r\nQUIT\n"u8) || sent[12] is not (0x20 or 0x21))
        {
            return null;
        }

        int length = (sent[14] << 8) | sent[15];
        int needed = (sent[12], sent[13] >> 4) switch
        {
            (0x21, 1) => 12,
            (0x21, 2) => 36,
            _ => 0,
        };
        return length >= needed && HeadBytes + length <= sent.Length ? HeadBytes + length : null;
    }

    /// <summary>A server behind a proxy, which is the test.</summary>
    public sealed class ProxiedServer : IDisposable
    {
        internal FuzzedServer Server { get; } = new(_local, "--trusted-proxy", "127.0.0.1", "--proxy-protocol");

        public void Dispose() => Server.Dispose();
    }
}
