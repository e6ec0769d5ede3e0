namespace Millrace.Lab.GrpcCore;

/// <summary>Which ends of a transfer are the program of gRPC's C++ core.</summary>
[Flags]
internal enum CoreEnds
{
    /// <summary>Neither.</summary>
    None = 0,

    /// <summary>The client.</summary>
    Client = 1,

    /// <summary>The server.</summary>
    Server = 2,

    /// <summary>Both.</summary>
    Both = Client | Server,
}
