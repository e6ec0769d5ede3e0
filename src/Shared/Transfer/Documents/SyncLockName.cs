namespace Millrace.Transfer;

/// <summary>The kind of lock (RFC 4918, section 14.15) that keeps two syncs out of one folder.</summary>
internal static class SyncLockName
{
    public const string Element = "sync";

    /// <summary>An attribute: a secret of the client, with which its next run takes over the lock if this one is killed.</summary>
    public const string Key = "key";

    public const int MaxKeyLength = 128;

    public const string Namespace = "https://millrace.dev/";
}
