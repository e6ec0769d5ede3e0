using System.Collections.ObjectModel;
using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>What moves bytes between Kestrel and the network.</summary>
public enum ServerTransport
{
    /// <summary><c>Millrace.Kestrel</c>: files by sendfile(2), large reads, HTTP/1.1 and HTTP/2 without TLS on one port.</summary>
    Millrace,

    /// <summary>Kestrel's own sockets, with larger blocks; HTTP/2 without TLS has a separate port.</summary>
    Kestrel,
}

/// <summary>The folder or store, addresses, limits and shutdown of a <see cref="TransferServer"/>.</summary>
public sealed class TransferHostOptions
{
    /// <summary>The folder to serve; it has to exist. Not needed with <see cref="FileStore"/>.</summary>
    public string Folder { get; set; } = "";

    /// <summary>
    /// The store to serve instead of <see cref="Folder"/>; null for the folder. It remains the caller's, who disposes it after the
    /// server. Its limits are its own: <see cref="Store"/> is not used.
    /// </summary>
    public IFileStore? FileStore { get; set; }

    /// <summary>An IP address, <c>localhost</c>, or <c>*</c> for all addresses of the machine.</summary>
    /// <remarks>Only the machine itself; more has to be chosen, and needs a token.</remarks>
    public string Host { get; set; } = "127.0.0.1";

    /// <summary>The port of HTTP/1.1, and of HTTP/2 with TLS; 0 for a free one.</summary>
    /// <remarks>What people try first, and it needs no privileges.</remarks>
    public int Port
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
            field = value;
        }
    } = 8080;

    /// <summary>
    /// A port for HTTP/2 without TLS; 0 for a free one, null for no separate one: then <see cref="Port"/> takes it, too, or, with
    /// <see cref="ServerTransport.Kestrel"/>, the port after that, which is left out if it is taken.
    /// </summary>
    public int? Http2Port
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, ushort.MaxValue, nameof(value));
            field = value;
        }
    }

    /// <summary>Whether HTTP/2 without TLS is offered. True by default; with TLS, HTTP/2 always uses <see cref="Port"/>.</summary>
    public bool OfferHttp2Port { get; set; } = true;

    /// <summary>What moves bytes between Kestrel and the network.</summary>
    public ServerTransport Transport { get; set; }

    /// <summary>A PEM file with the certificate and its intermediate certificates; null for no TLS.</summary>
    public string? CertificatePath { get; set; }

    /// <summary>A PEM file with the certificate's key; null when it is in <see cref="CertificatePath"/>.</summary>
    public string? KeyPath { get; set; }

    /// <summary>The file of tokens, which has to exist; null for <see cref="TokenStore.DefaultPath"/>, which need not, or, with
    /// <see cref="FileStore"/>, for no tokens.</summary>
    public string? TokensPath { get; set; }

    /// <summary>
    /// Whether the file of <see cref="TokensPath"/> is a copy of tokens that are kept elsewhere, and never written. Callers can then
    /// sign links only if it has a key for that.
    /// </summary>
    public bool TokensReadOnly { get; set; }

    /// <summary>Whether clients that reach the address may do everything until there is a token.</summary>
    public bool Insecure { get; set; }

    /// <inheritdoc cref="TransferAccessOptions.PublicScopes"/>
    /// <exception cref="ArgumentException">It has other scopes.</exception>
    public TransferScope PublicScopes
    {
        get;
        set => field = new TransferAccessOptions { PublicScopes = value }.PublicScopes;
    }

    /// <summary>
    /// Whether requests that would change something are refused, from every caller. <see cref="Folder"/> is then not written to, and may be on a
    /// read-only file system: see <see cref="LocalFileStoreOptions.ReadOnly"/> and <see cref="LocalFileStoreOptions.StatePath"/>. False by default.
    /// </summary>
    public bool ReadOnly { get; set; }

    /// <inheritdoc cref="TransferAccessOptions.AllowBasicWithoutTls"/>
    public bool AllowBasicWithoutTls { get; set; }

    /// <summary>
    /// Whether browsers can sign in with a PIN of <see cref="TransferServer.CreatePin"/>; everything else then needs a token, also on this machine.
    /// False by default.
    /// </summary>
    public bool AllowPin { get; set; }

    /// <summary>
    /// Names of the server, as in <c>files.example.org</c> or <c>*.example.org</c>. Without tokens, and without a token where
    /// <see cref="PublicScopes"/> needs none, a request for a name that is neither
    /// one of these nor <c>localhost</c>, the machine's name, the host of <see cref="PublicUrl"/> or an IP address is refused
    /// with 421.
    /// </summary>
    /// <remarks>A web page can give its own name this machine's address (DNS rebinding), and then read and write as its own.</remarks>
    public IReadOnlyList<string> HostNames { get; set; } = [];

    /// <summary>The server's URL as browsers see it, if there is a proxy before it; null otherwise.</summary>
    public Uri? PublicUrl { get; set; }

    /// <summary>
    /// Addresses of the proxies in front of the server. Their <c>X-Forwarded-For</c>, <c>X-Forwarded-Proto</c>,
    /// <c>X-Forwarded-Host</c> and <c>X-Forwarded-Prefix</c> are taken for the client's address (in the log and in limits), the scheme, the host and
    /// the beginning of the path. These fields of other senders are ignored. Empty by default.
    /// </summary>
    /// <remarks>
    /// A proxy has to overwrite these fields, or to delete those that it does not write: otherwise they are the client's own. Of several
    /// addresses in <c>X-Forwarded-For</c>, the last one counts that is not itself in one of these networks. IPv4 addresses that are mapped to
    /// IPv6 count as IPv4, so name IPv4 networks as such.
    /// </remarks>
    public IReadOnlyList<IPNetwork> TrustedProxies { get; set; } = [];

    /// <summary>Whether all senders to a Unix socket are trusted as those in <see cref="TrustedProxies"/>. False by default.</summary>
    public bool TrustSocket { get; set; }

    /// <summary>
    /// Whether connections from <see cref="TrustedProxies"/>, and with <see cref="TrustSocket"/> those of a Unix socket, begin with a header of the
    /// PROXY protocol, version 2, which has the client's address. One without it is closed; those of other senders have none. False by default.
    /// </summary>
    public bool ProxyProtocol { get; set; }

    /// <summary>
    /// The path below which the server is, as in <c>/share</c>, if a proxy passes requests on with it; empty for none. Requests with other paths
    /// get 404.
    /// </summary>
    /// <exception cref="ArgumentException">It is not <c>/</c> and segments of letters, digits and <c>-._~</c>.</exception>
    public string PathBase
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            string path = value.TrimEnd('/');
            field = PublicPath.IsValid(path)
                ? path
                : throw new ArgumentException($"'{value}' is not a path of letters, digits and '-', '.', '_', '~', as in /share.", nameof(value));
        }
    } = "";

    /// <summary>
    /// The path of a Unix socket on which to listen instead of <see cref="Host"/> and <see cref="Port"/>; null for none. It counts as this machine:
    /// no token is needed. A socket that a server left there is replaced, if no server answers at it.
    /// </summary>
    public string? SocketPath { get; set; }

    /// <summary>The mode of <see cref="SocketPath"/>: users with the right to write may connect. Only the owner by default.</summary>
    public UnixFileMode SocketMode { get; set; } = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>
    /// A socket that listens already, TCP or Unix, such as one from systemd, to be used instead of <see cref="Host"/> and <see cref="Port"/>; null for
    /// none. The server closes it.
    /// </summary>
    public Socket? ListenSocket { get; set; }

    /// <summary>How long running transfers may continue when the server stops; 0 cuts them at once.</summary>
    /// <remarks>Within what systemd (90 s) and containers (10 to 30 s) usually wait before they kill.</remarks>
    public TimeSpan ShutdownTimeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            field = value;
        }
    } = TimeSpan.FromSeconds(30);

    /// <summary>How much one client may use at once.</summary>
    public TransferLimits Limits { get; set; } = new();

    /// <summary>
    /// Patterns of names that are neither served nor listed, nor can be uploaded, such as <c>.*</c>: see <see cref="FileStoreExtensions.Hiding"/>.
    /// </summary>
    public IReadOnlyList<string> HiddenNames { get; set; } = [];

    /// <summary>The receiver of the events of the files; null for none.</summary>
    public FileEventOptions? Events { get; set; }

    /// <summary>Options of the folder's store.</summary>
    public LocalFileStoreOptions Store { get; set; } = new();

    /// <summary>
    /// The time in which the whole store is read once in the background, to find files that the device has damaged; null to read nothing. See
    /// <see cref="StoreScrub"/> and <see cref="ScrubOptions.Period"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Zero or negative.</exception>
    public TimeSpan? ScrubPeriod
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(value));
            field = value;
        }
    }

    /// <summary>Options of the endpoints.</summary>
    public TransferServerOptions Endpoints { get; set; } = new();

    /// <summary>
    /// The names of your program's settings, by the member that each of them sets: errors and refusals then name <c>--port</c> instead of
    /// <c>TransferHostOptions.Port</c>. A member that is missing here keeps its name.
    /// </summary>
    public IReadOnlyDictionary<string, string> SettingNames { get; set; } = ReadOnlyDictionary<string, string>.Empty;

    /// <summary>The clock by which tokens, links, sessions and cached responses expire. The store has its own clock.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Adds log providers; null for no log.</summary>
    public Action<ILoggingBuilder>? Logging { get; set; }

    /// <summary>
    /// A file to which a line per request is appended, in the combined format of Apache and nginx; null for none. It has no queries, and so no
    /// signatures of links. It can be renamed or truncated while the server runs.
    /// </summary>
    public string? AccessLogPath { get; set; }

    /// <summary>The name of a member in messages.</summary>
    internal string NameOf(string member) => SettingNames.GetValueOrDefault(member, member);
}
