using Microsoft.Extensions.Hosting;
using Millrace.Transfer.Messages.Health;
using ServingStatus = Millrace.Transfer.Messages.Health.HealthCheckResponse.Types.ServingStatus;

namespace Millrace.Transfer.Server;

/// <summary>The methods of <c>grpc.health.v1.Health</c>. As over HTTP they need no token and return only the state.</summary>
internal sealed class GrpcHealth(StoreHealth health, TimeProvider clock)
{
    /// <summary>Between two looks of one who watches.</summary>
    /// <remarks>The store is looked at once a second at most, however many watch.</remarks>
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    public Func<GrpcCall, Task>? Find(string? method) => method switch
    {
        "Check" => CheckAsync,
        "Watch" => WatchAsync,
        _ => null,
    };

    private static bool IsKnown(HealthCheckRequest request) => request.Service is "" or GrpcFields.Service;

    private async Task CheckAsync(GrpcCall call)
    {
        HealthCheckRequest request = await call.ReadAsync(HealthCheckRequest.Parser);
        if (!IsKnown(request))
        {
            throw new GrpcFault(GrpcStatus.NotFound, $"Unknown service '{request.Service}'; this server has {GrpcFields.Service}.");
        }

        ServingStatus status = await LookAsync(call.Ended);
        await call.Answer.SendAsync(new HealthCheckResponse { Status = status });
    }

    private async Task WatchAsync(GrpcCall call)
    {
        HealthCheckRequest request = await call.ReadAsync(HealthCheckRequest.Parser);
        CancellationToken stopping =
            ((IHostApplicationLifetime?)call.Context.RequestServices.GetService(typeof(IHostApplicationLifetime)))?
            .ApplicationStopping ?? default;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(call.Ended, stopping);
        await call.Answer.BeginAsync();
        ServingStatus? told = null;
        while (!stopping.IsCancellationRequested)
        {
            ServingStatus status = IsKnown(request) ? await LookAsync(call.Ended) : ServingStatus.ServiceUnknown;
            if (status != told)
            {
                told = status;
                await TellAsync(call, status);
            }

            await Task.Delay(Interval, clock, end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            call.Ended.ThrowIfCancellationRequested();
        }

        // A server that stops does not wait for those who only watch it.
        await TellAsync(call, ServingStatus.NotServing);
        throw new GrpcFault(GrpcStatus.Unavailable, "The server is stopping.");
    }

    private static ValueTask TellAsync(GrpcCall call, ServingStatus status)
    {
        call.Answer.Write(new HealthCheckResponse { Status = status });
        return call.Answer.FlushAsync();
    }

    private async ValueTask<ServingStatus> LookAsync(CancellationToken cancellationToken)
    {
        HealthDocument found = await health.CheckAsync(cancellationToken);
        return found.Status == HealthDocument.Ok ? ServingStatus.Serving : ServingStatus.NotServing;
    }
}
