using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>
/// Lets the framework complete receiving on the threads that wait for the events of sockets, where Millrace's transport then answers requests for small
/// files. Only the environment can ask for that, and sockets read it when the first one waits.
/// </summary>
internal static class InlineSockets
{
    private const string Variable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <remarks>
    /// Not for a bucket or a hook: HttpClient's responses would be handled there, too, and what follows them may wait. With Kestrel's own transport
    /// nothing is gained.
    /// </remarks>
    public static void AllowFor(TransferHostOptions options, bool isBucket)
    {
        if (OperatingSystem.IsLinux() && !isBucket && options.Events is null && options.Transport == ServerTransport.Millrace
            && string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable)))
        {
            Environment.SetEnvironmentVariable(Variable, "1");
        }
    }
}
