using System.CommandLine;
using System.Net;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options of serve about proxies and Unix sockets.</summary>
public sealed class ProxyArgumentTests
{
    private static readonly Option<int> Port = new("--port");

    [Fact]
    public void Nobody_is_believed_by_default()
    {
        TransferHostOptions options = Read();

        Assert.Empty(options.TrustedProxies);
        Assert.False(options.TrustSocket);
        Assert.False(options.ProxyProtocol);
        Assert.Equal("", options.PathBase);
        Assert.Null(options.SocketPath);
    }

    [Theory]
    [InlineData("10.0.0.7", "10.0.0.7/32")]
    [InlineData("192.168.0.0/16", "192.168.0.0/16")]
    [InlineData("0.0.0.0/0", "0.0.0.0/0")]
    [InlineData("fd00::/8", "fd00::/8")]
    [InlineData("::1", "::1/128")]
    [InlineData("::ffff:10.0.0.7", "10.0.0.7/32")]
    [InlineData("::ffff:10.0.0.0/104", "10.0.0.0/8")]
    public void Networks_and_addresses_are_read(string text, string expected) =>
        Assert.Equal([IPNetwork.Parse(expected)], Read("--trusted-proxy", text).TrustedProxies);

    [Fact]
    public void Several_proxies_and_a_socket_are_read()
    {
        TransferHostOptions options = Read(
            "--trusted-proxy", "10.0.0.7", "--trusted-proxy", "unix", "--trusted-proxy", "fd00::/8", "--socket", "s,0660", "--proxy-protocol",
            "--path-base", "/share/");

        Assert.Equal([IPNetwork.Parse("10.0.0.7/32"), IPNetwork.Parse("fd00::/8")], options.TrustedProxies);
        Assert.True(options.TrustSocket);
        Assert.True(options.ProxyProtocol);
        Assert.Equal("/share", options.PathBase);
        Assert.Equal("s", options.SocketPath);
        Assert.Equal((UnixFileMode)0x1B0, options.SocketMode); // 0660
    }

    [Theory]
    [InlineData("/run/s", "/run/s", 0x180)]
    [InlineData("/run/s,666", "/run/s", 0x1B6)]
    [InlineData("/run/a,b", "/run/a,b", 0x180)]
    [InlineData("/run/a,b,0600", "/run/a,b", 0x180)]
    [InlineData("./systemd", "./systemd", 0x180)]
    public void Socket_has_a_path_and_a_mode(string text, string path, int mode)
    {
        TransferHostOptions options = Read("--socket", text);

        Assert.Equal(path, options.SocketPath);
        Assert.Equal((UnixFileMode)mode, options.SocketMode);
    }

    [Theory]
    [InlineData("is not a valid address or network", "--trusted-proxy", "proxy.example.org")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "10.1.2.3/8")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "10.0.0.0/33")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "10.0.0.0/-1")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "10")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "::ffff:0.0.0.0/64")]
    [InlineData("is not a valid address or network", "--trusted-proxy", "")]
    [InlineData("is about senders to --socket", "--trusted-proxy", "unix")]
    [InlineData("name their addresses with --trusted-proxy", "--proxy-protocol")]
    [InlineData("is not a valid path", "--path-base", "share")]
    [InlineData("is not a valid path", "--path-base", "//share")]
    [InlineData("is not a valid path", "--path-base", "/a/../b")]
    [InlineData("is not a valid mode", "--socket", "s,0888")]
    [InlineData("is not a valid mode", "--socket", "s,4755")]
    [InlineData("has no path", "--socket", ",0600")]
    [InlineData("--port is about a port", "--socket", "s", "--port", "80")]
    public void Invalid_options_are_rejected_with_the_reason(string reason, params string[] arguments)
    {
        ParseResult parsed = Create(out _).Parse(arguments);

        Assert.Contains(parsed.Errors, error => error.Message.Contains(reason, StringComparison.Ordinal));
    }

    [Fact]
    public void Systemds_socket_without_systemd_is_refused_with_the_remedy()
    {
        TransferException exception = Assert.Throws<TransferException>(() => Read("--socket", "systemd"));

        Assert.Contains("LISTEN_PID", exception.Message, StringComparison.Ordinal);
        Assert.Contains("./systemd", exception.Message, StringComparison.Ordinal);
    }

    private static TransferHostOptions Read(params string[] arguments)
    {
        ParseResult parsed = Create(out ProxyOptionSet set).Parse(arguments);
        Assert.Empty(parsed.Errors);
        var options = new TransferHostOptions();
        set.Read(parsed, options);
        return options;
    }

    private static System.CommandLine.Command Create(out ProxyOptionSet set)
    {
        var command = new System.CommandLine.Command("serve") { Port };
        set = new ProxyOptionSet();
        set.AddTo(command, Port);
        return command;
    }
}
