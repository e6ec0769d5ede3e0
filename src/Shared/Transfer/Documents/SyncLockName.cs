namespace Millrace.Transfer;

/// <summary>The kind of lock (RFC 4918, section 14.15) that keeps two syncs out of one folder.</summary>
internal static class SyncLockName
{
    public const string Element = "sync";

    public const string Namespace = "https://millrace.dev/";
}
