using System.Diagnostics;

namespace Millrace.Transfer;

/// <summary>Name under which clients are traced; docs/events.md lists their activities and tags.</summary>
public static class TransferClientDiagnostics
{
    private static readonly ActivitySource Source = new(Name);

    /// <summary>Name of the <see cref="ActivitySource"/>.</summary>
    public static string Name => "Millrace.Transfer.Client";

    /// <summary>Starts an activity; null without a listener.</summary>
    internal static Activity? Start(string operation, Uri server)
    {
        Activity? activity = Source.StartActivity(operation, ActivityKind.Client);
        activity?.SetTag("server.address", server.IdnHost).SetTag("server.port", server.Port);
        return activity;
    }

    /// <summary>Starts the activity of a call; null without a listener.</summary>
    internal static Activity? StartCall(Uri method)
    {
        if (!Source.HasListeners())
        {
            return null;
        }

        string name = method.AbsolutePath[1..];
        return Start(name, method)?.SetTag("rpc.system.name", "grpc").SetTag("rpc.method", name);
    }

    /// <summary>Ends a transfer's activity well.</summary>
    internal static TransferResult Completed(this Activity? activity, TransferResult result)
    {
        activity?
            .SetTag("millrace.transfer.bytes", result.BytesSent)
            .SetTag("millrace.transfer.attempts", result.Attempts);
        return result;
    }

    /// <summary>Notes the failure of a transfer. A filter, so that the exception goes on where it came from.</summary>
    /// <returns>False.</returns>
    internal static bool Failed(this Activity? activity, Exception exception)
    {
        activity?
            .SetTag("error.type", exception is TransferException refused ? ErrorCode.Of(refused.Error) : exception.GetType().FullName)
            .SetStatus(ActivityStatusCode.Error, exception.Message);
        return false;
    }
}
