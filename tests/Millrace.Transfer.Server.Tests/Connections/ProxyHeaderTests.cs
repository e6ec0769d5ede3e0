using System.Buffers;
using System.Buffers.Binary;
using System.Net.Security;
using System.Net.Sockets;
using Microsoft.Extensions.Logging;
using IPNetwork = System.Net.IPNetwork;

namespace Millrace.Transfer.Server.Tests.Connections;

/// <summary>The PROXY protocol, version 2.</summary>
public sealed class ProxyHeaderTests
{
    private const string Request = "GET /files/one.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    [Theory]
    [InlineData("203.0.113.9")]
    [InlineData("2001:db8::9")]
    public void Header_has_the_clients_address_however_it_is_split(string client)
    {
        byte[] header = Header(0x21, IPAddress.Parse(client), 4711, tail: [4, 0, 1, 7]);
        for (int i = 0; i < header.Length; i++)
        {
            Assert.Null(ProxyHeaderReader.TryParse(new ReadOnlySequence<byte>(header.AsMemory(0, i)), out _, out _));
        }

        byte[] more = [.. header, 1, 2, 3];
        Assert.True(ProxyHeaderReader.TryParse(new ReadOnlySequence<byte>(more), out SequencePosition end, out IPEndPoint? source));
        Assert.Equal(new IPEndPoint(IPAddress.Parse(client), 4711), source);
        Assert.Equal(3, new ReadOnlySequence<byte>(more).Slice(end).Length);
    }

    [Theory]
    [InlineData(0x20, 0x11, null)] // LOCAL: a check by the proxy itself
    [InlineData(0x20, 0x00, null)]
    [InlineData(0x21, 0x00, "0.0.0.0")] // UNSPEC
    [InlineData(0x21, 0x31, "0.0.0.0")] // Unix
    [InlineData(0x21, 0xf1, "0.0.0.0")] // none yet
    public void Header_without_an_address_is_of_the_proxy_itself_or_of_an_unknown_client(int command, int family, string? expected)
    {
        byte[] header = Header((byte)command, IPAddress.Loopback, 1);
        header[13] = (byte)family;

        Assert.True(ProxyHeaderReader.TryParse(new ReadOnlySequence<byte>(header), out _, out IPEndPoint? source));
        Assert.Equal(expected, source?.Address.ToString());
    }

    [Fact]
    public void Damaged_headers_are_refused()
    {
        byte[] good = Header(0x21, IPAddress.Loopback, 1);
        foreach ((int at, byte value) in ((int, byte)[])[(0, (byte)'G'), (11, 0), (12, 0x11), (12, 0x22), (12, 0x31), (15, 11)])
        {
            byte[] bad = [.. good];
            bad[at] = value;
            Assert.False(ProxyHeaderReader.TryParse(new ReadOnlySequence<byte>(bad), out _, out IPEndPoint? source));
            Assert.Null(source);
        }

        Assert.False(ProxyHeaderReader.TryParse(new ReadOnlySequence<byte>("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n"u8.ToArray()), out _, out _));
    }

    [Fact]
    public void Changed_headers_are_read_to_the_end_that_they_announce_or_not_at_all()
    {
        var random = new Random(7);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = Header(0x21, random.Next(2) == 0 ? IPAddress.Loopback : IPAddress.IPv6Loopback, 1, new byte[random.Next(20)]);
            for (int changes = random.Next(4); changes > 0; changes--)
            {
                bytes[12 + random.Next(bytes.Length - 12)] = (byte)random.Next(256);
            }

            int length = random.Next(bytes.Length + 1);
            int announced = 16 + ((bytes[14] << 8) | bytes[15]);
            var received = new ReadOnlySequence<byte>(bytes.AsMemory(0, length));

            if (ProxyHeaderReader.TryParse(received, out SequencePosition end, out _) is { } isHeader)
            {
                Assert.True(!isHeader || (length >= announced && received.Slice(end).Length == length - announced), Convert.ToHexString(bytes));
            }
            else
            {
                Assert.True(length < 16 || length < announced, Convert.ToHexString(bytes));
            }
        }
    }

    [Theory, EveryValue]
    public async Task Address_of_the_header_is_the_clients(ServerTransport transport)
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await StartAsync(log, "127.0.0.0/8", transport);
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);

        await connection.SendAsync([.. Header(0x21, IPAddress.Parse("2001:db8::9"), 4711), .. Encoding.ASCII.GetBytes(Request)]);

        Assert.Contains("\r\n\r\none", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        await Bounded.UntilAsync(() => log.Lines.Any(line => line.EndsWith(" at 2001:db8::9", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(0x20, 0x11, "198.51.100.7")]
    [InlineData(0x21, 0x00, "0.0.0.0")]
    [InlineData(0x21, 0x31, "0.0.0.0")]
    [InlineData(0x21, 0x11, "203.0.113.9")]
    public async Task Fields_are_believed_of_the_proxy_itself_and_not_of_those_behind_it(int command, int family, string expected)
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await StartAsync(log, "127.0.0.1/32");
        byte[] header = Header((byte)command, IPAddress.Parse("203.0.113.9"), 4711);
        header[13] = (byte)family;
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);

        await connection.SendAsync([.. header, .. Encoding.ASCII.GetBytes(Request.Replace("\r\n\r\n", "\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n", StringComparison.Ordinal))]);

        Assert.Contains("\r\n\r\none", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        await Bounded.UntilAsync(() => log.Lines.Any(line => line.EndsWith($" at {expected}", StringComparison.Ordinal)));
    }

    [Theory, EveryValue]
    public async Task Longest_header_is_read_in_small_pieces(ServerTransport transport)
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await StartAsync(log, "127.0.0.1/32", transport);
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);
        byte[] header = Header(0x21, IPAddress.Parse("203.0.113.9"), 4711, new byte[ushort.MaxValue - 12]);

        foreach (byte one in header[..32])
        {
            await connection.SendAsync([one]);
        }

        await connection.SendAsync([.. header[32..], .. Encoding.ASCII.GetBytes(Request)]);

        Assert.Contains("\r\n\r\none", await connection.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), EveryValue]
    public async Task Header_comes_before_TLS(ServerTransport transport)
    {
        var log = new CapturedLog(LogLevel.Information);
        using var folder = new TemporaryFolder();
        LoopbackCertificate.Write(folder["cert.pem"], folder["key.pem"]);
        await using ServedFolder served = await StartAsync(
            log, "127.0.0.1/32", transport, options => (options.CertificatePath, options.KeyPath) = (folder["cert.pem"], folder["key.pem"]));
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, served.Server.Address.Port);
        await client.GetStream().WriteAsync(Header(0x21, IPAddress.Parse("203.0.113.9"), 4711));
        await using var tls = new SslStream(client.GetStream());
        await tls.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions { TargetHost = "127.0.0.1", CertificateChainPolicy = LoopbackCertificate.Policy() });
        await tls.WriteAsync(Encoding.ASCII.GetBytes(Request));

        using var reader = new StreamReader(tls, Encoding.Latin1);
        Assert.Contains("\r\n\r\none", await reader.ReadToEndAsync(), StringComparison.Ordinal);
        await Bounded.UntilAsync(() => log.Lines.Any(line => line.EndsWith(" at 203.0.113.9", StringComparison.Ordinal)));
    }

    [Theory, EveryValue]
    public async Task Header_that_does_not_end_is_not_waited_for(ServerTransport transport)
    {
        var log = new CapturedLog(LogLevel.Warning);
        await using ServedFolder served = await StartAsync(
            log, "127.0.0.1/32", transport, static options => options.Limits.HeaderTimeout = TimeSpan.FromMilliseconds(500));
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);

        await connection.SendAsync(Header(0x21, IPAddress.Loopback, 1)[..20]);

        Assert.Empty(await connection.ReadToEndAsync());
        await Bounded.UntilAsync(() => log.Lines.Any(line => line.Contains("did not arrive in time", StringComparison.Ordinal)));
    }

    [Theory, EveryValue]
    public async Task Header_that_is_cut_off_is_no_fault(ServerTransport transport)
    {
        var log = new CapturedLog(LogLevel.Warning);
        await using ServedFolder served = await StartAsync(log, "127.0.0.1/32", transport);
        byte[] header = Header(0x21, IPAddress.Loopback, 1);
        foreach (int length in (int[])[0, 1, 12, 15, 16, header.Length - 1])
        {
            using var client = new TcpClient();
            await client.ConnectAsync(IPAddress.Loopback, served.Server.Address.Port);
            NetworkStream stream = client.GetStream();
            await stream.WriteAsync(header.AsMemory(0, length));
            client.Client.Shutdown(SocketShutdown.Send);
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).Soon());
        }

        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);
        await connection.SendAsync([.. header, .. Encoding.ASCII.GetBytes(Request)]);
        Assert.Contains("\r\n\r\none", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.DoesNotContain(log.Lines, static line => line.Contains("PROXY", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Connection_of_a_trusted_proxy_without_a_header_is_closed()
    {
        var log = new CapturedLog(LogLevel.Warning);
        await using ServedFolder served = await StartAsync(log, "127.0.0.1/32");

        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address, Request);

        Assert.Empty(await connection.ReadToEndAsync());
        await Bounded.UntilAsync(() => log.Lines.Any(line => line.Contains("does not begin with a header of the PROXY protocol", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Header_of_an_untrusted_sender_is_no_header()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await StartAsync(log, "192.0.2.1/32");
        using RawConnection plain = await RawConnection.OpenAsync(served.Server.Address, Request);
        Assert.Contains("\r\n\r\none", await plain.ReadToEndAsync(), StringComparison.Ordinal);

        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address);
        await connection.SendAsync([.. Header(0x21, IPAddress.Parse("192.0.2.7"), 1), .. Encoding.ASCII.GetBytes(Request)]);

        Assert.DoesNotContain("\r\n\r\none", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.DoesNotContain(log.Lines, line => line.Contains("192.0.2.7", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Proxy_protocol_without_a_trusted_proxy_does_not_start()
    {
        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => ServedFolder.StartAsync(static options => options.ProxyProtocol = true));

        Assert.Contains("TransferHostOptions.TrustedProxies", exception.Message, StringComparison.Ordinal);
    }

    private static async Task<ServedFolder> StartAsync(CapturedLog log, string trusted, ServerTransport? transport = null, Action<TransferHostOptions>? configure = null)
    {
        ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Logging = logging => logging.SetMinimumLevel(LogLevel.Information).AddProvider(log);
            options.TrustedProxies = [IPNetwork.Parse(trusted)];
            options.ProxyProtocol = true;
            options.Transport = transport ?? options.Transport;
            configure?.Invoke(options);
        });
        await served.WriteAsync("one.txt", "one"u8.ToArray());
        return served;
    }

    private static byte[] Header(byte command, IPAddress client, ushort port, params ReadOnlySpan<byte> tail)
    {
        byte[] address = client.GetAddressBytes();
        byte[] ports = new byte[4];
        BinaryPrimitives.WriteUInt16BigEndian(ports, port);
        byte[] length = new byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(length, (ushort)((2 * address.Length) + 4 + tail.Length));
        return
        [
            .. "\r\n\r\n\0\r\nQUIT\n"u8, command, (byte)(address.Length == 4 ? 0x11 : 0x21), .. length, .. address, .. address, .. ports,
            .. tail,
        ];
    }
}
