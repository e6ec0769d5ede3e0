using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Millrace.Transfer.Server;

/// <summary>
/// The certificate of a server, as its files have it: a renewed one is used from the next handshake on. While the files cannot be
/// read, or do not belong together, the last one that could is used.
/// </summary>
internal sealed class ServerCertificate
{
    private readonly string _path;
    private readonly string _keyPath;
    private readonly Lock _reading = new();
    private volatile Loaded _loaded;
    private string? _reported;

    private ServerCertificate(string path, string keyPath)
    {
        _path = path;
        _keyPath = keyPath;
        _loaded = Read();
    }

    /// <returns>Null for a server without TLS.</returns>
    public static ServerCertificate? Load(TransferHostOptions options)
    {
        if (options.CertificatePath is not { } path)
        {
            return options.KeyPath is null
                ? null
                : throw Errors.Invalid(
                    $"{options.NameOf("TransferHostOptions.KeyPath")} is the key of a certificate. Name that with {options.NameOf("TransferHostOptions.CertificatePath")}.");
        }

        try
        {
            return new ServerCertificate(path, options.KeyPath ?? path);
        }
        catch (Exception exception) when (IsUnreadable(exception))
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"No certificate with its key could be read from '{path}'{(options.KeyPath is { } key ? $" and '{key}'" : "")}: {exception.Message} Both have to be PEM files; the key must not need a password.",
                innerException: exception);
        }
    }

    /// <summary>Options for Kestrel, which asks at each handshake.</summary>
    public TlsHandshakeCallbackOptions ForHandshakes(ILogger logger) => new()
    {
        OnConnection = _ => ValueTask.FromResult(
            new SslServerAuthenticationOptions { ServerCertificateContext = Current(logger).Context }),
    };

    private static bool IsUnreadable(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException;

    private Loaded Current(ILogger logger)
    {
        // One handshake at a time looks; a disk that hangs must not stop the others.
        if (!_reading.TryEnter())
        {
            return _loaded;
        }

        try
        {
            // A few KB out of the page cache are nothing beside a handshake. Times would not be enough: a link to another
            // folder may have changed.
            Loaded last = _loaded;
            if (Text(_path) != last.Certificate || Text(_keyPath) != last.Key)
            {
                _loaded = Read();
                _reported = null;
                logger.CertificateRenewed(_path);
            }
        }
        catch (Exception exception) when (IsUnreadable(exception))
        {
            if (_reported != exception.Message)
            {
                _reported = exception.Message;
                logger.CertificateUnreadable(_path, exception.Message);
            }
        }
        finally
        {
            _reading.Exit();
        }

        return _loaded;
    }

    private Loaded Read()
    {
        string certificate = Text(_path);
        string key = Text(_keyPath);
        var chain = new X509Certificate2Collection();
        chain.ImportFromPem(certificate);
        return new Loaded(
            certificate, key, SslStreamCertificateContext.Create(X509Certificate2.CreateFromPem(certificate, key), chain));
    }

    private static string Text(string path)
    {
        using FilePipeReader reader = LockedFile.Open(path);
        using var text = new StreamReader(reader.AsStream());
        return text.ReadToEnd();
    }

    private sealed class Loaded(string certificate, string key, SslStreamCertificateContext context)
    {
        public string Certificate => certificate;

        public string Key => key;

        public SslStreamCertificateContext Context => context;
    }
}
