using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Server;

/// <summary>What a <see cref="TransferServer"/> serves, where it listens, and how it stops.</summary>
public sealed record TransferHostOptions
{
    /// <summary>Default of <see cref="Host"/>.</summary>
    /// <remarks>Only the machine itself: who wants more has to say so, and to make a token.</remarks>
    public const string DefaultHost = "127.0.0.1";

    /// <summary>Default of <see cref="Port"/>.</summary>
    /// <remarks>What people try first, and no rights are needed for it.</remarks>
    public const int DefaultPort = 8080;

    /// <summary>Default of <see cref="Grace"/>, in seconds.</summary>
    /// <remarks>Within what systemd (90 s) and containers (10 to 30 s) usually wait before they kill.</remarks>
    public const int DefaultGraceSeconds = 30;

    /// <summary>The folder; it has to exist.</summary>
    public required string Folder { get; init; }

    /// <summary>An IP address, <c>localhost</c>, or <c>*</c> for all addresses of the machine.</summary>
    public string Host { get; init; } = DefaultHost;

    /// <summary>The port of HTTP/1.1, and of HTTP/2 with TLS; 0 for one that is free.</summary>
    public int Port
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
            field = value;
        }
    } = DefaultPort;

    /// <summary>
    /// The port of HTTP/2 without TLS; 0 for one that is free, null for the one behind <see cref="Port"/>, which is left
    /// out when it is taken.
    /// </summary>
    public int? Http2Port
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, ushort.MaxValue, nameof(value));
            field = value;
        }
    }

    /// <summary>Whether HTTP/2 without TLS is offered at all. True by default; with TLS it needs no port of its own.</summary>
    public bool OfferHttp2Port { get; init; } = true;

    /// <summary>A PEM file with the certificate and those between it and its root; null for no TLS.</summary>
    public string? CertificatePath { get; init; }

    /// <summary>A PEM file with the certificate's key; null when it is in <see cref="CertificatePath"/>.</summary>
    public string? KeyPath { get; init; }

    /// <summary>The file of tokens; null for <see cref="TokenStore.DefaultPath"/>.</summary>
    public string? TokensPath { get; init; }

    /// <summary>Whether everybody who reaches the address may do everything as long as there is no token.</summary>
    public bool Insecure { get; init; }

    /// <summary>How long transfers that run may go on when the server stops; 0 cuts them at once.</summary>
    public TimeSpan Grace
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            field = value;
        }
    } = TimeSpan.FromSeconds(DefaultGraceSeconds);

    /// <summary>How much one client may ask for at once.</summary>
    public TransferLimits Limits { get; init; } = new();

    /// <summary>How files are kept.</summary>
    public LocalFileStoreOptions Store { get; init; } = new();

    /// <summary>What the endpoints offer.</summary>
    public TransferServerOptions Endpoints { get; init; } = new();

    /// <summary>Adds where the log goes; null for nowhere.</summary>
    public Action<ILoggingBuilder>? Logging { get; init; }
}
