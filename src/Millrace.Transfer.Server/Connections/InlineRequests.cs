using System.Runtime.CompilerServices;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>
/// Lets the thread that waits for the events of sockets answer requests for small files itself, on Linux: a third of the cost
/// of such a request is waking another thread (docs/measuring.md). Everything that may wait for a disk, or compute for long, moves to the thread
/// pool: other requests here, and files that are not kept in memory in <see cref="LocalFiles"/>.
/// </summary>
internal static class InlineRequests
{
    /// <summary>Whether a lookup in the folder never waits for another machine.</summary>
    public static bool CanServe(string folder)
    {
        try
        {
            return new DriveInfo(folder).DriveType is DriveType.Fixed or DriveType.Ram;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }

    /// <summary>The middleware; it must follow routing.</summary>
    public static Task RunAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Features.Get<IInlineRequestsFeature>() is not { } connection || HttpProtocol.IsHttp2(context.Request.Protocol))
        {
            return next(context);
        }

        // The first request of a connection shows which kind follows.
        bool isQuick = IsQuick(context);
        connection.RunsInline = isQuick;
        return isQuick ? next(context) : RunInPoolAsync(context, next);
    }

    /// <summary>Continues in the thread pool, unless this thread belongs to it.</summary>
    /// <remarks>Not a task of its own: one that the pool has finished before it is awaited would leave the caller on its thread.</remarks>
    public static ConfiguredTaskAwaitable MoveToPoolAsync() => Task.CompletedTask.ConfigureAwait(
        Thread.CurrentThread.IsThreadPoolThread ? ConfigureAwaitOptions.None : ConfigureAwaitOptions.ForceYielding);

    /// <summary>A plain download of a file, without anything that has to be verified or looked up before.</summary>
    private static bool IsQuick(HttpContext context)
    {
        HttpRequest request = context.Request;
        IHeaderDictionary fields = request.Headers;
        return HttpMethods.IsGet(request.Method)
            && context.GetEndpoint()?.Metadata.GetMetadata<FileHandler>() is not null
            && !request.QueryString.HasValue
            && request.ContentLength is null or 0
            && fields.TransferEncoding.Count == 0
            && fields.Authorization.Count == 0
            && fields.Cookie.Count == 0
            && fields.AcceptEncoding.Count == 0
            && !fields.ContainsKey(IfHeader.Field)
            && request.Path.Value is not [.., '/'];
    }

    private static async Task RunInPoolAsync(HttpContext context, RequestDelegate next)
    {
        await MoveToPoolAsync();
        await next(context);
    }
}
