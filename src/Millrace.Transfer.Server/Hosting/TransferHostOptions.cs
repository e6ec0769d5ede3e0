using System.Collections.ObjectModel;

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

    /// <summary>
    /// Names of the server, as in <c>files.example.org</c> or <c>*.example.org</c>. Without tokens, a request for a name that is neither
    /// one of these nor <c>localhost</c>, the machine's name, the host of <see cref="PublicUrl"/> or an IP address is refused
    /// with 421.
    /// </summary>
    /// <remarks>A web page can give its own name this machine's address (DNS rebinding), and then read and write as its own.</remarks>
    public IReadOnlyList<string> HostNames { get; set; } = [];

    /// <summary>The server's URL as browsers see it, if there is a proxy before it; null otherwise.</summary>
    public Uri? PublicUrl { get; set; }

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

    /// <summary>Options of the folder's store.</summary>
    public LocalFileStoreOptions Store { get; set; } = new();

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

    /// <summary>The name of a member in messages.</summary>
    internal string NameOf(string member) => SettingNames.GetValueOrDefault(member, member);
}
