using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>Runs a method and answers what it throws.</summary>
internal static class GrpcRun
{
    public static async Task RunAsync(GrpcCall call, Func<GrpcCall, Task> method)
    {
        await using (call)
        {
            try
            {
                call.Begin();
                await method(call);
                await call.Answer.EndAsync();
            }
            catch (Exception exception) when (IsClientDisconnect(call, exception))
            {
                // The client went away, which is its right; nobody is there to be told.
                call.Context.Abort();
            }
            catch (Exception exception)
            {
                await FailAsync(call, exception);
            }
        }
    }

    private static bool IsClientDisconnect(GrpcCall call, Exception exception) =>
        exception is ConnectionResetException or ConnectionAbortedException
        || (call.IsGone && exception is OperationCanceledException or IOException);

    private static async Task FailAsync(GrpcCall call, Exception exception)
    {
        GrpcProblem problem = call.IsLate && exception is OperationCanceledException
            ? new GrpcProblem(GrpcStatus.DeadlineExceeded, "The time that the call was given is over.")
            : GrpcProblem.Of(exception);
        if (problem.IsUnexpected)
        {
            ((ILoggerFactory?)call.Context.RequestServices.GetService(typeof(ILoggerFactory)))?
                .CreateLogger(TransferDiagnostics.Name)
                .CallFailed(call.Context.Request.Path, exception);
        }

        try
        {
            await call.Answer.FailAsync(problem);
        }
        catch (Exception gone) when (gone is OperationCanceledException or IOException && call.IsGone)
        {
            // Nobody was left to be told.
        }
    }
}
