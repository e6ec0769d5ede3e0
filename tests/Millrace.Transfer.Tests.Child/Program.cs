using Millrace.Transfer;
using Millrace.Transfer.Server;
using Millrace.Transfer.Tests.Child;

if (args is [var measured, var protocol, var compression])
{
    (long up, long down) = await Allocations.MeasureAsync(
        measured, Enum.Parse<TransferProtocol>(protocol), Enum.Parse<TransferCompression>(compression));
    Console.WriteLine($"{up} {down}");
    return;
}

// Serves a folder, prints its ports, and goes on until its input ends: also when the test dies.
await using TransferServer server = await TransferServer.StartAsync(
    new TransferHostOptions
    {
        Folder = args[0],
        Port = 0,
        Http2Port = 0,
        Transport = Enum.Parse<ServerTransport>(Environment.GetEnvironmentVariable("MILLRACE_TRANSPORT") ?? nameof(ServerTransport.Millrace)),
        ShutdownTimeout = TimeSpan.Zero,
    });
Console.WriteLine($"{server.Address.Port} {server.Http2Address!.Port}");
await Console.In.ReadToEndAsync();
