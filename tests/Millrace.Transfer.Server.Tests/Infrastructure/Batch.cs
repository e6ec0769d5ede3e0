using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Requests with several files, POST FOLDER/?batch, and for several files, POST FOLDER/?batch=get.</summary>
internal static class Batch
{
    /// <param name="name">The name.</param>
    /// <param name="content">The bytes.</param>
    /// <param name="more">More members of the line, after a comma.</param>
    public static (byte[] Line, byte[] Content) File(string name, byte[] content, string more = "") =>
        (Encoding.UTF8.GetBytes($"{{\"name\":{JsonSerializer.Serialize(name)},\"length\":{content.Length}{more}}}\n"), content);

    public static byte[] Joined(params (byte[] Line, byte[] Content)[] files) => [.. files.SelectMany(static one => one.Line.Concat(one.Content))];

    /// <summary>The line for a file to get.</summary>
    public static string Name(string name, string? ifMatch = null) =>
        JsonSerializer.Serialize(new BatchFileDocument { Name = name, IfMatch = ifMatch }, TransferJson.Default.BatchFileDocument) + "\n";

    public static Task<HttpResponseMessage> PostAsync(HttpClient client, string path, byte[] body, params (string Name, string Value)[] fields) =>
        PostAsync(client, path, body, BatchFileDocument.MediaType, fields);

    public static Task<HttpResponseMessage> AskAsync(HttpClient client, string path, string lines, params (string Name, string Value)[] fields) =>
        PostAsync(client, path, Encoding.UTF8.GetBytes(lines), BatchFileDocument.ResultsMediaType, fields);

    /// <summary>Gets files by a request that is accepted.</summary>
    public static async Task<(BatchResultDocument Line, byte[] Content)[]> GetAsync(HttpClient client, string path, params string[] names)
    {
        using HttpResponseMessage response = await AskAsync(client, path, string.Concat(names.Select(static name => Name(name))));
        return await ReadFilesAsync(response, names.Length);
    }

    /// <summary>Reads the files of an accepted request.</summary>
    public static async Task<(BatchResultDocument Line, byte[] Content)[]> ReadFilesAsync(HttpResponseMessage response, int files)
    {
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(BatchFileDocument.MediaType, response.Content.Headers.ContentType?.MediaType);
        Assert.Equal("no-store", response.Headers.CacheControl?.ToString());
        return Parse(await response.Content.ReadAsByteArrayAsync(), files);
    }

    /// <summary>Parses a response that is complete.</summary>
    public static (BatchResultDocument Line, byte[] Content)[] Parse(byte[] body, int files)
    {
        var read = new List<(BatchResultDocument Line, byte[] Content)>();
        for (int at = 0; ;)
        {
            int end = Array.IndexOf(body, (byte)'\n', at);
            Assert.True(end > 0);
            BatchResultDocument line = JsonSerializer.Deserialize(body.AsSpan(at..end), TransferJson.Default.BatchResultDocument)!;
            at = end + 1 + (line.Length ?? 0);
            if (line.Files is { } count)
            {
                Assert.Equal((files, files, body.Length), (count, read.Count, at));
                Assert.EndsWith($"{{\"files\":{files}}}\n", Encoding.Latin1.GetString(body), StringComparison.Ordinal);
                return [.. read];
            }

            read.Add((line, body[(end + 1)..at]));
        }
    }

    public static async Task<HttpResponseMessage> PostAsync(
        HttpClient client, string path, byte[] body, string mediaType, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        foreach ((string name, string value) in fields)
        {
            if (!request.Headers.TryAddWithoutValidation(name, value))
            {
                request.Content.Headers.TryAddWithoutValidation(name, value);
            }
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
