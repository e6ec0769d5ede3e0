namespace Millrace.Lab.Suites.Transfers;

/// <summary>Which way a file goes.</summary>
public enum TransferDirection
{
    /// <summary>From the server to the client.</summary>
    Download,

    /// <summary>From the client to the server.</summary>
    Upload,
}
