namespace Millrace.Transfer.Server;

/// <summary>The features and limits of the endpoints.</summary>
public sealed class TransferServerOptions
{
    /// <summary>Path of the files.</summary>
    public string FilesPath { get; set; } = "/files";

    /// <summary>Path of resumable uploads.</summary>
    public string UploadsPath { get; set; } = "/uploads";

    /// <summary>
    /// Whether <c>NAME.gz</c> or <c>NAME.br</c> is sent for <c>NAME</c> to clients that accept that coding, if it is not older.
    /// False by default: only you know whether both have the same content.
    /// </summary>
    public bool ServePrecompressed { get; set; }

    /// <summary>Whether compressible files are sent in gzip or brotli to clients that accept it.</summary>
    public bool Compress { get; set; } = true;

    /// <summary>Whether a folder can be downloaded as one zip or tar file.</summary>
    public bool Archives { get; set; } = true;

    /// <summary>
    /// Origins whose web pages may use the endpoints, as in <c>https://files.example.org</c>; <c>*</c> alone for all of them. None
    /// by default: pages of the server itself need no entry. The application needs <c>AddCors()</c> and <c>UseCors()</c>.
    /// </summary>
    public IReadOnlyList<string> AllowedOrigins { get; set; } = [];

    /// <summary>
    /// Bytes that clients should send in one request of a resumable upload, 1 MiB or more; null for any number. For a server
    /// with a proxy in front of it that refuses larger requests: the server itself accepts them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1 MiB.</exception>
    public long? MaxRequestBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? long.MaxValue, 1024 * 1024, nameof(value));
            field = value;
        }
    }

    /// <summary>Whether the files are served by WebDAV too, so that systems can mount them: PROPFIND, PROPPATCH, COPY, LOCK and UNLOCK.</summary>
    public bool WebDav { get; set; } = true;

    /// <summary>
    /// Whether files that systems make for themselves are refused under the path of the files: <c>._NAME</c>, <c>.DS_Store</c>,
    /// <c>Thumbs.db</c> and <c>desktop.ini</c>. False by default: Finder keeps parts of files in the first.
    /// </summary>
    public bool RefuseSystemFiles { get; set; }

    /// <summary>Options of gRPC and gRPC-Web.</summary>
    public GrpcServerOptions Grpc { get; set; } = new();

    /// <summary>The clock of the application that maps the endpoints.</summary>
    internal TimeProvider TimeProvider { get; private set; } = TimeProvider.System;

    /// <summary>A copy with the paths at which an application maps the endpoints, and its clock.</summary>
    internal TransferServerOptions At(string? filesPath, string? uploadsPath, TimeProvider clock)
    {
        var copy = (TransferServerOptions)MemberwiseClone();
        copy.TimeProvider = clock;
        copy.FilesPath = filesPath ?? FilesPath;
        copy.UploadsPath = uploadsPath ?? UploadsPath;
        return copy;
    }
}
