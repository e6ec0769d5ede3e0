using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Kestrel;

/// <summary>Gives every request on our sockets a response body that sends files, or copies them in larger pieces than Kestrel's.</summary>
internal sealed class FileResponseFilter : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(static following => context =>
        {
            Install(context);
            return following(context);
        });
        next(app);
    };

    private static void Install(HttpContext context)
    {
        if (context.Features.Get<SocketConnection>() is { } connection && context.Features.Get<IHttpResponseBodyFeature>() is { } body)
        {
            // Requests over HTTP/2 are answered at the same time.
            string protocol = context.Request.Protocol;
            bool isHttp1 = HttpProtocol.IsHttp11(protocol) || HttpProtocol.IsHttp10(protocol);
            if (!isHttp1)
            {
                connection.BeginHttp2();
            }

            FileResponseBody files = isHttp1 ? connection.ResponseBody : new FileResponseBody(connection);
            files.Begin(context, body, canSend: isHttp1 && connection.IsPlain);
            context.Features.Set<IHttpResponseBodyFeature>(files);
        }
    }
}
