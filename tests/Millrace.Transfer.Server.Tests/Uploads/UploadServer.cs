using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>Requests of uploads as tus and the draft write them.</summary>
internal static class UploadServer
{
    public static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));

    /// <summary>A request of tus, with fields as <c>Name: value</c>.</summary>
    public static async Task<HttpResponseMessage> TusAsync(
        this RunningServer server, HttpMethod method, string path, byte[]? body = null, params string[] fields)
    {
        using HttpRequestMessage request = Request(server, method, path, body, "application/offset+octet-stream", fields);
        if (!request.Headers.Contains("Tus-Resumable"))
        {
            request.Headers.Add("Tus-Resumable", "1.0.0");
        }

        return await server.Client.SendAsync(request);
    }

    /// <summary>Appends with tus.</summary>
    public static Task<HttpResponseMessage> PatchTusAsync(
        this RunningServer server, string path, long offset, byte[] body, params string[] fields) =>
        server.TusAsync(HttpMethod.Patch, path, body, [$"Upload-Offset: {offset}", .. fields]);

    /// <summary>A request of the draft.</summary>
    public static async Task<HttpResponseMessage> DraftAsync(
        this RunningServer server, HttpMethod method, string path, byte[]? body = null, params string[] fields)
    {
        using HttpRequestMessage request = Request(server, method, path, body, "application/partial-upload", fields);
        return await server.Client.SendAsync(request);
    }

    /// <summary>Appends by the draft; completes the upload with <c>?1</c>.</summary>
    public static Task<HttpResponseMessage> PatchDraftAsync(
        this RunningServer server, string path, long offset, byte[] body, string complete, params string[] fields) =>
        server.DraftAsync(HttpMethod.Patch, path, body, [$"Upload-Complete: {complete}", $"Upload-Offset: {offset}", .. fields]);

    /// <summary>Begins an upload with tus and gives its path.</summary>
    public static async Task<string> BeginAsync(this RunningServer server, string name, long length, params string[] fields)
    {
        using HttpResponseMessage response = await server.TusAsync(
            HttpMethod.Post, "/uploads", null,
            [$"Upload-Length: {length}", $"Upload-Metadata: filename {Base64(name)}", .. fields]);
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        return response.Headers.Location!.OriginalString;
    }

    /// <summary>Waits until an upload has bytes, without disturbing the request that sends them.</summary>
    public static async Task ReceivedAsync(this RunningServer server, string url, long bytes)
    {
        Assert.True(UploadId.TryParse(url.AsSpan(url.LastIndexOf('/') + 1), out UploadId id));
        await Bounded.UntilAsync(async () =>
            (await server.Store.FindUploadAsync(id, takeOver: false, default))!.Offset >= bytes);
    }

    private static HttpRequestMessage Request(
        RunningServer server, HttpMethod method, string path, byte[]? body, string mediaType, string[] fields)
    {
        var request = new HttpRequestMessage(method, new Uri(server.Address, path));
        if (body is not null)
        {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        }

        foreach (string field in fields)
        {
            int colon = field.IndexOf(": ", StringComparison.Ordinal);
            string name = field[..colon];
            if (name == "Content-Type")
            {
                request.Content!.Headers.Remove(name);
            }

            if (!request.Headers.TryAddWithoutValidation(name, field[(colon + 2)..]))
            {
                request.Content ??= new ByteArrayContent([]);
                Assert.True(request.Content.Headers.TryAddWithoutValidation(name, field[(colon + 2)..]));
            }
        }

        return request;
    }
}
