using Microsoft.AspNetCore.Routing.Patterns;

namespace Millrace.Transfer.Server;

/// <summary>The paths of the gRPC services.</summary>
internal static class GrpcEndpoints
{
    private const string Method = "method";

    public static IEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, IFileStore store, TransferServerOptions options)
    {
        var health = new GrpcHealth(new StoreHealth(store, options.TimeProvider), options.TimeProvider);
        RouteGroupBuilder group = endpoints.MapGroup("");
        MapService(group, GrpcFields.Service, FileTransferService.Find, store, options);
        MapService(group, GrpcFields.HealthService, health.Find, store, options);
        MapOthers(group, store, options);
        PageCors.AllowGrpc(group, options.AllowedOrigins);
        return group;
    }

    /// <summary>Refuses a request that no endpoint gets, in its own form if it is a call.</summary>
    public static Task RefuseAsync(HttpContext context, IFileStore store, TransferServerOptions options, Refusal refusal) =>
        GrpcMediaType.TryParse(context.Request.ContentType, out GrpcForm form, out string answer)
            ? GrpcRun.RunAsync(new GrpcCall(context, store, options, form, answer), _ => throw refusal)
            : Problems.AnswerAsync(context, refusal);

    private static void MapService(
        RouteGroupBuilder group, string service, Func<string?, Func<GrpcCall, Task>?> find, IFileStore store,
        TransferServerOptions options) =>
        group.Map($"/{service}/{{{Method}}}", (RequestDelegate)(context => AnswerAsync(
            context, store, options, find((string?)context.Request.RouteValues[Method]))))
            .WithDisplayName($"Millrace {service}");

    /// <summary>Calls of unknown services; after all other endpoints of the application.</summary>
    private static void MapOthers(RouteGroupBuilder group, IFileStore store, TransferServerOptions options) =>
        group.Map(
            RoutePatternFactory.Parse(
                "/{service}/{method}", defaults: null,
                parameterPolicies: new RouteValueDictionary { ["service"] = new CalledAsGrpc() }),
            (RequestDelegate)(context => AnswerAsync(context, store, options, method: null)))
            .WithDisplayName("Millrace gRPC (unknown services)")
            .WithOrder(int.MaxValue);

    private static Task AnswerAsync(
        HttpContext context, IFileStore store, TransferServerOptions options, Func<GrpcCall, Task>? method)
    {
        HttpRequest request = context.Request;
        if (!HttpMethods.IsPost(request.Method))
        {
            return Problems.AnswerAsync(context, new Refusal(
                TransferError.InvalidRequest, "gRPC requires POST.")
            {
                Status = StatusCodes.Status405MethodNotAllowed,
                Field = "Allow",
                FieldValue = HttpMethods.Post,
            });
        }

        if (!GrpcMediaType.TryParse(request.ContentType, out GrpcForm form, out string answer))
        {
            return Problems.AnswerAsync(context, new Refusal(
                TransferError.InvalidRequest,
                $"This is a method of gRPC. Send its messages as {GrpcFields.ContentType}, {GrpcFields.WebContentType} or {GrpcFields.WebTextContentType}.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            });
        }

        if (form == GrpcForm.Http2 && !HttpProtocol.IsHttp2(request.Protocol))
        {
            return Problems.AnswerAsync(context, new Refusal(
                TransferError.InvalidRequest,
                $"gRPC requires HTTP/2, but this request uses {request.Protocol}. Use the port of HTTP/2, or {GrpcFields.WebContentType}.")
            {
                Status = StatusCodes.Status426UpgradeRequired,
                Field = "Upgrade",
                FieldValue = "HTTP/2",
            });
        }

        return GrpcRun.RunAsync(new GrpcCall(context, store, options, form, answer), method ?? Unknown);
    }

    private static Task Unknown(GrpcCall call) => throw new GrpcFault(
        GrpcStatus.Unimplemented, $"Unknown method '{call.Context.Request.Path}'.");

    /// <summary>Matches only requests that are gRPC calls.</summary>
    private sealed class CalledAsGrpc : IRouteConstraint
    {
        public bool Match(
            HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection) =>
            httpContext is { Request: var request }
            && HttpMethods.IsPost(request.Method)
            && GrpcMediaType.IsAny(request.ContentType);
    }
}
