using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer.Server;

/// <summary>Small documents of a page's requests.</summary>
internal static class JsonAnswer
{
    private const string Json = "application/json";
    private const int MaxBytes = 8 * 1024;

    /// <summary>Reads a body. Its type is one that no form of a foreign page can send.</summary>
    public static async ValueTask<T> ReadAsync<T>(HttpContext context, JsonTypeInfo<T> type)
        where T : class
    {
        MediaType.ThrowIfOther(context.Request, Json, $"Send the request as {Json}.");
        CallerLimits.LimitDocument(context, MaxBytes);
        try
        {
            return await JsonSerializer.DeserializeAsync(context.Request.Body, type, context.RequestAborted)
                ?? throw Errors.Invalid("The request is null.");
        }
        catch (JsonException exception)
        {
            throw Errors.Invalid("The request is not valid JSON for this method.", innerException: exception);
        }
    }

    public static async Task WriteAsync<T>(HttpContext context, T document, JsonTypeInfo<T> type)
    {
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(document, type);
        context.Response.ContentType = Json;
        context.Response.Headers.XContentTypeOptions = "nosniff";
        context.Response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.Body.WriteAsync(body, context.RequestAborted);
        }
    }
}
