using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Requests with several files, POST FOLDER/?batch.</summary>
internal static class Batch
{
    /// <param name="name">The name.</param>
    /// <param name="content">The bytes.</param>
    /// <param name="more">More members of the line, after a comma.</param>
    public static (byte[] Line, byte[] Content) File(string name, byte[] content, string more = "") =>
        (Encoding.UTF8.GetBytes($"{{\"name\":{JsonSerializer.Serialize(name)},\"length\":{content.Length}{more}}}\n"), content);

    public static byte[] Joined(params (byte[] Line, byte[] Content)[] files) => [.. files.SelectMany(static one => one.Line.Concat(one.Content))];

    public static async Task<HttpResponseMessage> PostAsync(HttpClient client, string path, byte[] body, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(BatchFileDocument.MediaType);
        foreach ((string name, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return await client.SendAsync(request);
    }

    /// <summary>Sends a batch that is accepted, and returns what became of each file.</summary>
    public static async Task<BatchResultDocument[]> PutAsync(HttpClient client, string path, params (byte[] Line, byte[] Content)[] files) =>
        await ReadAsync(await PostAsync(client, path, Joined(files)), files.Length);

    /// <summary>Reads the results of an accepted batch.</summary>
    public static async Task<BatchResultDocument[]> ReadAsync(HttpResponseMessage response, int files)
    {
        using (response)
        {
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.Equal(BatchFileDocument.ResultsMediaType, response.Content.Headers.ContentType?.MediaType);
            string[] lines = (await response.Content.ReadAsStringAsync()).Split('\n');
            Assert.Equal("", lines[^1]);
            BatchResultDocument[] results = [.. lines[..^1].Select(static line => JsonSerializer.Deserialize(line, TransferJson.Default.BatchResultDocument)!)];
            Assert.Equal(files, results.Length);
            return results;
        }
    }
}
