using Microsoft.Extensions.Hosting;

namespace Millrace.Transfer.Server;

/// <summary>Leaves the signals of the process to the program that started the server.</summary>
internal sealed class NoHostLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
