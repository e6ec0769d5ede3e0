namespace Millrace.Lab.Suites.Transfers;

/// <summary>What results call the parameters of transfers.</summary>
internal static class TransfersPlan
{
    // No coding, no digest, and files that reach the device when the system sees fit.
    public const string None = "none";
    public const string Gzip = "gzip";
    public const string Commit = "commit";
    public const string Sha256 = "sha-256";
    public const string Sockets = "sockets";
    public const string Download = "download";
    public const string Upload = "upload";

    // The groups of a launch.
    public const string Unflushed = "unflushed";
    public const string Durable = "durable";
    public const string Linked = "linked";

    /// <summary>What is written without a library.</summary>
    public const string Baseline = nameof(FileTransfers.HttpClient);

    public const string BaselineSha256 = nameof(FileTransfers.HttpClientSha256);

    /// <summary>The buffer of statements that are about one.</summary>
    public const int MainBuffer = 65536;
}
