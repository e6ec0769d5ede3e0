using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Kestrel;

/// <summary>Gives every HTTP/1.1 request on our sockets a response body that can send files.</summary>
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
        string protocol = context.Request.Protocol;
        if ((HttpProtocol.IsHttp11(protocol) || HttpProtocol.IsHttp10(protocol))
            && context.Features.Get<SocketConnection>() is { IsPlain: true } connection
            && context.Features.Get<IHttpResponseBodyFeature>() is { } body)
        {
            FileResponseBody files = connection.ResponseBody;
            files.Begin(context, body);
            context.Features.Set<IHttpResponseBodyFeature>(files);
        }
    }
}
