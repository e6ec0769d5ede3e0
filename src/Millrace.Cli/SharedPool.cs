namespace Millrace.Cli;

/// <summary>How much ArrayPool keeps, which is a matter of the whole process and of the processes that it starts.</summary>
/// <remarks>
/// HttpClient's HTTP/2 receives into buffers that grow to the window of a connection, as blocks of the shared pool. Arrays that the
/// pool cannot hold become garbage, again with every window. Only the environment can change this, and the
/// pool reads it when it is first used: early in a program that is soon enough.
/// </remarks>
internal static class SharedPool
{
    public const string Variable = "DOTNET_SYSTEM_BUFFERS_SHAREDARRAYPOOL_MAXARRAYSPERPARTITION";

    /// <summary>Arrays of one size that are kept for each processor; the runtime's own number is 32.</summary>
    /// <remarks>Room for the blocks of a window of 16 MiB, whatever their size. Nothing is kept that was not used.</remarks>
    public const string Arrays = "1024";

    public static void MakeRoom()
    {
        if (string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable)))
        {
            Environment.SetEnvironmentVariable(Variable, Arrays);
        }
    }
}
