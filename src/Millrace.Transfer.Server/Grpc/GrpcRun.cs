namespace Millrace.Transfer.Server;

/// <summary>Runs a method and turns its exceptions into statuses.</summary>
internal static class GrpcRun
{
    public static async Task RunAsync(GrpcCall call, Func<GrpcCall, Task> method)
    {
        bool isRefused = false;
        await using (call)
        {
            try
            {
                call.Begin();
                await method(call);
                await call.Answer.EndAsync();
            }
            catch (Exception exception) when (Problems.IsDisconnect(call.Context, exception))
            {
                // The client went away, which is its right; nothing can receive an answer.
                TransferObservation.Cut(call.Context);
            }
            catch (Exception exception)
            {
                await FailAsync(call, exception);
                isRefused = true;
            }
        }

        if (isRefused && !call.IsDisconnected && HttpProtocol.IsHttp11(call.Context.Request.Protocol))
        {
            await DiscardRestAsync(call);
        }
    }

    /// <summary>
    /// Receives the bytes that the caller of a refused call still sends. Most clients of HTTP/1.1 look for the answer after their last
    /// byte, and Kestrel closes the connection 5 s after the answer: on a slow line they would find it broken.
    /// </summary>
    private static async Task DiscardRestAsync(GrpcCall call)
    {
        HttpContext context = call.Context;
        if (context.Request.Headers.Expect.Count > 0)
        {
            // Reading could ask for a body that is not sent any more.
            return;
        }

        // As much as one message has at most, in base64.
        long left = Base64PipeWriter.Encoded(call.Options.Grpc.MaxMessageBytes);
        try
        {
            await context.Response.CompleteAsync();
            PipeReader body = context.Request.BodyReader;
            for (bool isOver = false; !isOver && left > 0;)
            {
                ReadResult result = await body.ReadAsync(context.RequestAborted);
                left -= result.Buffer.Length;
                isOver = result.IsCompleted;
                body.AdvanceTo(result.Buffer.End);
            }
        }
        catch (Exception exception) when (
            exception is BadHttpRequestException or IOException or OperationCanceledException or InvalidOperationException)
        {
            // The call is answered, and nothing of the rest was of use. Kestrel gives no more of a body with a length after a
            // read that was canceled, and then closes the connection.
        }
    }

    private static async Task FailAsync(GrpcCall call, Exception exception)
    {
        GrpcProblem problem = call.IsPastDeadline && exception is OperationCanceledException
            ? new GrpcProblem(GrpcStatus.DeadlineExceeded, "The call's deadline has passed.")
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
        catch (Exception gone) when (Problems.IsDisconnect(call.Context, gone))
        {
            // The client was gone.
            TransferObservation.Cut(call.Context);
        }
    }
}
