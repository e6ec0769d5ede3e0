using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>
/// Discards request bodies that no endpoint reads. Under HTTP/2, Kestrel keeps received bytes, up to the whole window of the connection,
/// until the response was sent, and a client can put that off by accepting no response.
/// </summary>
internal static class UnreadBody
{
    /// <summary>Bytes of a body without a meaning that are discarded; more of them are refused.</summary>
    /// <remarks>Some programs send an empty document with DELETE; no program sends more.</remarks>
    public const int MaxMeaninglessBytes = 64 * 1024;

    /// <summary>ENHANCE_YOUR_CALM of RFC 9113, section 7.</summary>
    private const int EnhanceYourCalm = 0xb;

    /// <summary>NO_ERROR of the same section: the response is whole, and the client has no reason to send the rest (section 8.1).</summary>
    private const int NoError = 0;

    /// <summary>How long a client that has its response may go on sending.</summary>
    /// <remarks>
    /// A stream that is reset together with an early response makes curl 7.88 lose the response.
    /// </remarks>
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(1);

    /// <summary>Time for another thread of Kestrel's to write the reset after a status, which it flushes before.</summary>
    private static readonly TimeSpan ResetTime = TimeSpan.FromMilliseconds(10);

    /// <summary>Runs the rest of the application.</summary>
    /// <param name="context">The request.</param>
    /// <param name="next">What follows.</param>
    /// <param name="limits">The server's limits.</param>
    public static Task RunAsync(HttpContext context, RequestDelegate next, TransferLimits limits) =>
        HttpProtocol.IsHttp2(context.Request.Protocol) ? RunHttp2Async(context, next, limits) : next(context);

    private static async Task RunHttp2Async(HttpContext context, RequestDelegate next, TransferLimits limits)
    {
        StreamCount streams = context.Features.GetRequiredFeature<StreamCount>();
        streams.Begin();
        try
        {
            Task running = context.Features.Get<IHttpRequestBodyDetectionFeature>() is not { CanHaveBody: true } ? next(context)
                : HasMeaning(context) ? DiscardAfterAsync(context, next, 2L * limits.Http2Window)
                : DiscardBeforeAsync(context, next, limits.HeaderTimeout);
            await running;
        }
        finally
        {
            streams.End();
        }
    }

    /// <summary>Whether an endpoint may read the body. RFC 9110, section 9.3, gives it no meaning for these methods.</summary>
    private static bool HasMeaning(HttpContext context)
    {
        string method = context.Request.Method;
        return !(HttpMethods.IsGet(method) || HttpMethods.IsHead(method) || HttpMethods.IsDelete(method)
                || HttpMethods.IsOptions(method) || HttpMethods.IsTrace(method))
            || (context.Request.Headers.ContainsKey(UploadHeaders.MethodOverride)
                && context.GetEndpoint()?.Metadata.GetMetadata<MethodOverride>() is not null);
    }

    /// <summary>Reads the body before anything is done for the request: later, the response may wait for the client.</summary>
    private static async Task DiscardBeforeAsync(HttpContext context, RequestDelegate next, TimeSpan timeout)
    {
        // Under HTTP/2, Kestrel's own rate ends the whole connection.
        context.Features.GetRequiredFeature<IHttpMinRequestBodyDataRateFeature>().MinDataRate = null;
        using var late = new CancellationTokenSource(timeout);
        if (await DiscardAsync(context, MaxMeaninglessBytes, late.Token))
        {
            await next(context);
        }
        else
        {
            Refuse(context);
        }
    }

    /// <summary>Reads the rest of the body after an endpoint refused an upload, until the client has the response.</summary>
    private static async Task DiscardAfterAsync(HttpContext context, RequestDelegate next, long limit)
    {
        await next(context);
        if (context.RequestAborted.IsCancellationRequested)
        {
            return;
        }

        if (!context.Response.HasStarted && GrpcMediaType.IsAny(context.Request.ContentType) && MayGoOn(context.Request.BodyReader))
        {
            // Together with the status, which is in the fields: a client of .NET that has the status alone resets the stream, and goes on
            // sending on it, for which Kestrel ends the connection. What still comes is dropped.
            ISendDelayFeature? sending = context.Features.Get<ISendDelayFeature>();
            sending?.DelaySending(TimeSpan.FromSeconds(1));
            Task ended = context.Response.CompleteAsync();
            context.Features.GetRequiredFeature<IHttpResetFeature>().Reset(NoError);
            await ended;
            sending?.DelaySending(ResetTime);
            return;
        }

        // In this order: a body that is read before the response has begun is asked for by 100 Continue.
        Task sent = context.Response.CompleteAsync();
        using var late = new CancellationTokenSource();
        Task<bool> discarding = DiscardAsync(context, limit, late.Token);
        if (await Task.WhenAny(sent, discarding) == sent)
        {
            late.CancelAfter(Linger);
        }
        else if (!await discarding)
        {
            Refuse(context);
        }

        await discarding;
    }

    /// <summary>Ends the stream. A connection without another one ends with it, and takes no more memory for bytes still sent.</summary>
    private static void Refuse(HttpContext context)
    {
        if (context.Features.GetRequiredFeature<StreamCount>().Running > 1)
        {
            context.Features.GetRequiredFeature<IHttpResetFeature>().Reset(EnhanceYourCalm);
        }
        else
        {
            context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
        }
    }

    /// <summary>Whether more of a body may come.</summary>
    private static bool MayGoOn(PipeReader body)
    {
        try
        {
            bool has = body.TryRead(out ReadResult result);
            if (has)
            {
                body.AdvanceTo(result.Buffer.End);
            }

            return !(has && result.IsCompleted);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or InvalidOperationException)
        {
            // The stream has ended, or the endpoint still reads it.
            return false;
        }
    }

    /// <summary>Reads a body up to its end.</summary>
    /// <returns>Whether it has ended, or the stream has; otherwise it has more bytes than the limit, or the time is over.</returns>
    private static async Task<bool> DiscardAsync(HttpContext context, long limit, CancellationToken late)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
        {
            size.MaxRequestBodySize = null;
        }

        PipeReader body = context.Request.BodyReader;
        try
        {
            while (true)
            {
                ReadResult result = await body.ReadAsync(late);
                limit -= result.Buffer.Length;
                try
                {
                    body.AdvanceTo(result.Buffer.End);
                }
                catch (BadHttpRequestException)
                {
                    // More than the endpoint wanted; the bytes are free nevertheless.
                }

                if (result.IsCompleted || limit < 0)
                {
                    return limit >= 0;
                }
            }
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !context.RequestAborted.IsCancellationRequested)
        {
            return false;
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or InvalidOperationException)
        {
            // The stream has ended, or the endpoint still reads it.
            return true;
        }
    }
}

/// <summary>Marks endpoints where a header can replace the method, so that every request may have a body.</summary>
internal sealed class MethodOverride;
