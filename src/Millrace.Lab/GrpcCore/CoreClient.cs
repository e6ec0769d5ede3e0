using System.Globalization;

namespace Millrace.Lab.GrpcCore;

/// <summary>
/// The client of gRPC's C++ core: one process for all cases, as long as there are any; its connections stay open between
/// transfers. One transfer runs at a time.
/// </summary>
internal static class CoreClient
{
    private static readonly Lock Gate = new();
    private static CoreProcess? Current;
    private static int Users;

    /// <summary>Its process's id; null while there is none.</summary>
    public static int? Id => Current?.Id;

    /// <summary>Takes part in it; to be given back once by <see cref="Release"/>.</summary>
    /// <param name="program">See <see cref="CoreProgram.PathIn"/>.</param>
    public static void Acquire(string program)
    {
        lock (Gate)
        {
            Current ??= new CoreProcess(program, "work");
            Users++;
        }
    }

    /// <summary>Gives it back; the last one ends it.</summary>
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

    /// <summary>Moves a file.</summary>
    /// <param name="verb">"download" or "upload".</param>
    /// <param name="server">Host and port.</param>
    /// <param name="name">What the server calls it.</param>
    /// <param name="path">Where it is, or will be, here.</param>
    /// <param name="chunk">Bytes in a message.</param>
    /// <param name="coding">"none" or "gzip".</param>
    /// <returns>How many bytes were moved.</returns>
    public static async Task<long> MoveAsync(string verb, string server, string name, string path, int chunk, string coding)
    {
        CoreProcess process = Current!;
        await process.TellAsync(string.Join('\t', verb, server, name, path, chunk.ToString(CultureInfo.InvariantCulture), coding))
            .ConfigureAwait(false);
        return await process.ReadAsync("bytes").ConfigureAwait(false);
    }
}
