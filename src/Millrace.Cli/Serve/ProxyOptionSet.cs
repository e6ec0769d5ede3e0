using System.CommandLine;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about proxies in front of it, and the Unix socket by which one may reach it.</summary>
internal sealed class ProxyOptionSet
{
    private const string UnixSocket = "unix";
    private const string Systemd = "systemd";

    // sd_listen_fds(3): the first descriptor that systemd passes.
    private const int FirstDescriptor = 3;

    private const UnixFileMode OnlyOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly Option<string[]> _trusted = new("--trusted-proxy")
    {
        Description = "Believe X-Forwarded-For, -Proto, -Host and -Prefix of this address or network, or of the senders to --socket (unix); can be repeated.",
        HelpName = "CIDR|unix",
    };

    private readonly Option<bool> _protocol = new("--proxy-protocol")
    {
        Description = "Require the PROXY protocol, version 2, on connections of --trusted-proxy.",
    };

    private readonly Option<string?> _pathBase = ParsedOption.Create<string?>(
        "--path-base",
        "PATH",
        "Serve everything below this path, such as /share, with which a proxy passes requests on.",
        static (text, out path) =>
        {
            path = text;
            try
            {
                _ = new TransferHostOptions { PathBase = text };
                return null;
            }
            catch (ArgumentException)
            {
                return $"'{text}' is not a valid path; begin with a slash and use letters, digits and '-', '.', '_', '~', as in /share.";
            }
        });

    private readonly Option<ListenPath?> _socket = ParsedOption.Create<ListenPath?>(
        "--socket",
        "PATH[,MODE]|systemd",
        "Listen on this Unix socket instead of a port, with mode 0600 unless MODE says otherwise, or on the socket that systemd passes.",
        ParseSocket);

    public void AddTo(Command command, params ReadOnlySpan<Option> portOptions)
    {
        Option[] ports = portOptions.ToArray();
        command.Add(_socket, _trusted, _protocol, _pathBase);
        _trusted.Validators.Add(static result =>
        {
            foreach (string text in result.Tokens.Select(token => token.Value).Where(text => text != UnixSocket && ParseNetwork(text) is null))
            {
                result.AddError($"--trusted-proxy: '{text}' is not a valid address or network; use for example 10.0.0.7, 192.168.0.0/24, fd00::/8, or unix.");
            }
        });
        command.Validators.Add(result =>
        {
            bool hasSocket = result.GetResult(_socket) is { Implicit: false };
            if (hasSocket)
            {
                foreach (Option option in ports.Where(option => result.GetResult(option) is { Implicit: false }))
                {
                    result.AddError($"{option.Name} is about a port, and --socket listens on none; leave one of them out.");
                }
            }

            bool trustsUnix = result.GetResult(_trusted)?.Tokens.Any(token => token.Value == UnixSocket) == true;
            if (trustsUnix && !hasSocket)
            {
                result.AddError("--trusted-proxy unix is about senders to --socket; name that, or the proxy's address.");
            }

            if (result.GetResult(_protocol) is { Implicit: false } && result.GetResult(_trusted) is not { Implicit: false })
            {
                result.AddError("--proxy-protocol is about connections from proxies; name their addresses with --trusted-proxy.");
            }
        });
    }

    /// <exception cref="Millrace.Transfer.TransferException">systemd passes no socket.</exception>
    public void Read(ParseResult parsed, TransferHostOptions options)
    {
        string[] trusted = parsed.GetValue(_trusted) ?? [];
        options.TrustedProxies = [.. trusted.Select(ParseNetwork).OfType<IPNetwork>()];
        options.TrustSocket = trusted.Contains(UnixSocket);
        options.ProxyProtocol = parsed.GetValue(_protocol);
        options.PathBase = parsed.GetValue(_pathBase) ?? "";
        if (parsed.GetValue(_socket) is not { } socket)
        {
            return;
        }

        if (socket.Path == Systemd)
        {
            options.ListenSocket = TakeFromSystemd();
            return;
        }

        options.SocketPath = socket.Path;
        options.SocketMode = socket.Mode;
    }

    /// <summary>A network, or one address; an IPv4 address that is mapped to IPv6 counts as IPv4.</summary>
    /// <returns>Null if the text is neither.</returns>
    private static IPNetwork? ParseNetwork(string text)
    {
        int slash = text.IndexOf('/', StringComparison.Ordinal);
        if (!IPAddress.TryParse(slash < 0 ? text : text[..slash], out IPAddress? address)
            || (address.AddressFamily == AddressFamily.InterNetwork && text.AsSpan(0, slash < 0 ? text.Length : slash).Count('.') != 3))
        {
            return null;
        }

        int all = address.AddressFamily == AddressFamily.InterNetwork ? 32 : 128;
        int length = all;
        if (slash >= 0 && (!int.TryParse(text.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out length) || length > all))
        {
            return null;
        }

        if (address.IsIPv4MappedToIPv6)
        {
            if (length < 96)
            {
                return null;
            }

            address = address.MapToIPv4();
            length -= 96;
        }

        // 10.1.2.3/8 could mean the network or that address, and users have meant both.
        byte[] bytes = address.GetAddressBytes();
        for (int bit = length; bit < bytes.Length * 8; bit++)
        {
            if ((bytes[bit / 8] & (0x80 >> (bit % 8))) != 0)
            {
                return null;
            }
        }

        return new IPNetwork(new IPAddress(bytes), length);
    }

    private static string? ParseSocket(string text, out ListenPath? socket)
    {
        int comma = text.LastIndexOf(',');
        string mode = comma < 0 ? "" : text[(comma + 1)..];
        bool hasMode = mode.Length is 3 or 4 && mode.All(char.IsAsciiDigit);
        string path = hasMode ? text[..comma] : text;
        socket = new ListenPath(path, OnlyOwner);
        if (path.Length == 0 || path.Contains('\0', StringComparison.Ordinal))
        {
            return $"'{text}' has no path; use for example /run/millrace.sock or /run/millrace.sock,0660.";
        }

        if (!hasMode)
        {
            return null;
        }

        if (mode.Any(static digit => digit > '7') || (mode.Length == 4 && mode[0] != '0'))
        {
            return $"'{mode}' is not a valid mode; use three octal digits, such as 0660.";
        }

        socket = new ListenPath(path, (UnixFileMode)Convert.ToInt32(mode, 8));
        return null;
    }

    /// <summary>The socket of systemd's socket activation. https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html</summary>
    private static Socket TakeFromSystemd()
    {
        string? count = Environment.GetEnvironmentVariable("LISTEN_FDS");
        if (Environment.GetEnvironmentVariable("LISTEN_PID") != Environment.ProcessId.ToString(CultureInfo.InvariantCulture)
            || count is null or "0")
        {
            throw TransferCommand.Invalid(
                "--socket systemd: systemd has passed no socket to this process (LISTEN_PID, LISTEN_FDS). Start it by a .socket unit, or name a path; a file of that name is ./systemd.");
        }

        if (count != "1")
        {
            throw TransferCommand.Invalid($"--socket systemd: systemd has passed {count} sockets, and the server listens on one. Leave one ListenStream= in the .socket unit.");
        }

        try
        {
            var socket = new Socket(new SafeSocketHandle(FirstDescriptor, ownsHandle: true));
            if (socket is { SocketType: SocketType.Stream, LocalEndPoint: IPEndPoint or UnixDomainSocketEndPoint }
                && socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.AcceptConnection) is int and not 0)
            {
                return socket;
            }

            socket.Dispose();
            throw TransferCommand.Invalid("--socket systemd: the socket that systemd has passed does not listen for TCP or Unix streams. Use ListenStream= in the .socket unit.");
        }
        catch (SocketException exception)
        {
            throw TransferCommand.Invalid($"--socket systemd: the socket that systemd has passed cannot be used: {exception.Message}");
        }
    }

    private sealed record ListenPath(string Path, UnixFileMode Mode);
}
