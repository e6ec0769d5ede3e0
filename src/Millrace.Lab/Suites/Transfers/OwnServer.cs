namespace Millrace.Lab.Suites.Transfers;

/// <summary>The server of the cases whose ends share a process: one for all of them, as long as there are any.</summary>
internal static class OwnServer
{
    private static readonly Lock Gate = new();
    private static ServerEnd? Current;
    private static int Users;

    /// <summary>Takes part in it; to be given back once by <see cref="Release"/>.</summary>
    /// <param name="folder">See <see cref="TransferFolders"/>; the same for all.</param>
    public static Uri Acquire(string folder)
    {
        lock (Gate)
        {
            Current ??= ServerEnd.Start(folder);
            Users++;
            return Current.Address;
        }
    }

    /// <summary>Gives it back; the last one stops it.</summary>
    public static void Release()
    {
        lock (Gate)
        {
            if (--Users == 0)
            {
                Current!.Dispose();
                Current = null;
            }
        }
    }
}
