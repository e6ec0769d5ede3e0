namespace Millrace.Transfer.Server.Tests.Files;

public sealed class ReadConditionTests : ServerTest
{
    private const string Before = "Sun, 02 Feb 2020 02:02:01 GMT";
    private const string At = "Sun, 02 Feb 2020 02:02:02 GMT";
    private const string After = "Sun, 02 Feb 2020 02:02:03 GMT";

    public static TheoryData<string, string, string, string, int> Cases { get; } = new()
    {
        // One alone.
        { "If-Match", "{tag}", "", "", 200 },
        { "If-Match", "\"x\", {tag}", "", "", 200 },
        { "If-Match", "*", "", "", 200 },
        { "If-Match", "\"x\"", "", "", 412 },
        { "If-Match", "W/{tag}", "", "", 412 },
        { "If-Match", "x", "", "", 412 },
        { "If-Unmodified-Since", Before, "", "", 412 },
        { "If-Unmodified-Since", At, "", "", 200 },
        { "If-Unmodified-Since", "yesterday", "", "", 200 },
        { "If-None-Match", "{tag}", "", "", 304 },
        { "If-None-Match", "W/{tag}", "", "", 304 },
        { "If-None-Match", "\"x\", W/{tag}", "", "", 304 },
        { "If-None-Match", "*", "", "", 304 },
        { "If-None-Match", "\"x\"", "", "", 200 },
        { "If-None-Match", "x", "", "", 200 },
        { "If-Modified-Since", At, "", "", 304 },
        { "If-Modified-Since", After, "", "", 200 },
        { "If-Modified-Since", Before, "", "", 200 },
        { "If-Modified-Since", "tomorrow", "", "", 200 },

        // The first of each pair decides: RFC 9110, section 13.2.2.
        { "If-Match", "{tag}", "If-Unmodified-Since", Before, 200 },
        { "If-Match", "\"x\"", "If-Unmodified-Since", After, 412 },
        { "If-None-Match", "\"x\"", "If-Modified-Since", After, 200 },
        { "If-None-Match", "{tag}", "If-Modified-Since", Before, 304 },

        // Both of each pair are looked at, and a failure comes first.
        { "If-Match", "{tag}", "If-None-Match", "{tag}", 304 },
        { "If-Match", "\"x\"", "If-None-Match", "{tag}", 412 },
        { "If-Unmodified-Since", Before, "If-Modified-Since", After, 412 },
        { "If-Unmodified-Since", After, "If-None-Match", "{tag}", 304 },

        // A range is looked at last.
        { "If-None-Match", "{tag}", "Range", "bytes=0-1", 304 },
        { "If-Match", "\"x\"", "Range", "bytes=0-1", 412 },
        { "If-Match", "{tag}", "Range", "bytes=0-1", 206 },
        { "If-Match", "{tag}", "Range", "bytes=500-", 416 },
    };

    [Theory, MemberData(nameof(Cases))]
    [NeedsLocalFolder]
    public async Task Conditions_are_evaluated_in_order(
        string first, string firstValue, string second, string secondValue, int status)
    {
        string path = await Server.WriteAsync("a", Content.Of(100));
        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
        using HttpResponseMessage plain = await GetAsync("files/a");
        string tag = plain.Headers.ETag!.ToString();
        var fields = new List<(string, string)> { (first, firstValue.Replace("{tag}", tag)) };
        if (second.Length > 0)
        {
            fields.Add((second, secondValue.Replace("{tag}", tag)));
        }

        using HttpResponseMessage response = await GetAsync("files/a", [.. fields]);
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Fact]
    public async Task Not_modified_response_has_a_tag_and_no_body()
    {
        await Server.WriteAsync("a.txt", Content.Text(5000));
        using HttpResponseMessage plain = await GetAsync("files/a.txt");
        using HttpResponseMessage response = await GetAsync("files/a.txt", ("If-None-Match", plain.Headers.ETag!.ToString()));
        Assert.Equal(HttpStatusCode.NotModified, response.StatusCode);
        Assert.Equal(plain.Headers.ETag, response.Headers.ETag);
        Assert.Equal("no-cache", response.Headers.CacheControl?.ToString());
        Assert.Equal("Accept-Encoding", response.Headers.Vary.Single());
        Assert.Empty(await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Replaced_file_is_another_version()
    {
        await Server.WriteAsync("a", Content.Of(100));
        using HttpResponseMessage before = await GetAsync("files/a");
        using HttpResponseMessage put = await SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent(Content.Of(101)));
        using HttpResponseMessage after = await GetAsync("files/a", ("If-None-Match", before.Headers.ETag!.ToString()));
        Assert.Equal(HttpStatusCode.OK, after.StatusCode);
        Assert.Equal(put.Headers.ETag, after.Headers.ETag);
    }
}
