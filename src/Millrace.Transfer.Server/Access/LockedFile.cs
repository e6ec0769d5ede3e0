namespace Millrace.Transfer.Server;

/// <summary>Files that other programs write and may hold a lock on, which stops the framework's streams and must not stop a server.</summary>
internal static class LockedFile
{
    public static FilePipeReader Open(string path) =>
        FilePipe.OpenRead(path, new FileReadOptions { ChangeDetection = ChangeDetection.Truncated });
}
