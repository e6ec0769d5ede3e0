namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Searches and counts over HTTP, and listings that a client has already.</summary>
public sealed class SearchRequestTests : ServerTest
{
    [Fact]
    public async Task Entries_have_a_line_each_and_the_last_line_tells_the_end()
    {
        await Server.WriteAsync("f/a/name one.txt", Content.Of(10));
        await Server.WriteAsync("f/name two.txt", Content.Of(20));
        using HttpResponseMessage response = await GetAsync("files/f/?search=NAME");
        Assert.Equal("application/jsonl", response.Content.Headers.ContentType?.MediaType);
        Assert.True(response.Headers.CacheControl?.NoStore);
        JsonElement[] lines = await LinesAsync(response);
        Assert.Equal(
            ["f/a/name one.txt", "f/name two.txt"], lines.Where(IsEntry).Select(static line => line.GetProperty("name").GetString()!).Order());
        Assert.True(lines[^1].GetProperty("complete").GetBoolean());
        Assert.False(lines[^1].TryGetProperty("more", out _));
        Assert.Equal(3, lines[^1].GetProperty("searched").GetInt64());
    }

    [Fact]
    public async Task Limit_ends_the_search_and_the_answer_says_so()
    {
        for (int i = 0; i < 5; i++)
        {
            await Server.WriteAsync($"f/{i}/name", Content.Of(1));
        }

        JsonElement[] lines = await LinesAsync(await GetAsync("files/?search=name&limit=3"));
        Assert.Equal(3, lines.Count(IsEntry));
        Assert.True(lines[^1].GetProperty("more").GetBoolean());
        Assert.False((await LinesAsync(await GetAsync("files/?search=name&limit=5")))[^1].TryGetProperty("more", out _));
    }

    [Theory]
    [InlineData("files/?search=", 400)]
    [InlineData("files/?search=%cc%81", 400)]
    [InlineData("files/?search=x&limit=0", 400)]
    [InlineData("files/?search=x&limit=10001", 400)]
    [InlineData("files/?search=x&limit=-1", 400)]
    [InlineData("files/none/?search=x", 404)]
    [InlineData("files/none/?usage", 404)]
    public async Task Invalid_search_is_refused(string path, int status)
    {
        using HttpResponseMessage response = await GetAsync(path);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.NotEmpty((await ProblemOf(response)).Detail);
    }

    [Fact]
    public async Task Folder_is_counted()
    {
        await Server.WriteAsync("f/a/b", Content.Of(10));
        await Server.WriteAsync("f/c", Content.Of(20));
        JsonElement last = (await LinesAsync(await GetAsync("files/f/?usage")))[^1];
        Assert.Equal(
            (2, 1, 30L, true),
            (last.GetProperty("files").GetInt32(), last.GetProperty("folders").GetInt32(), last.GetProperty("bytes").GetInt64(), last.GetProperty("complete").GetBoolean()));
    }

    [Fact]
    public async Task Browsers_without_scripts_get_a_page()
    {
        await Server.WriteAsync("f/a/<name>.txt", Content.Of(10));
        using HttpResponseMessage response = await GetAsync("files/?search=name", ("Accept", "text/html"));
        string html = await response.Content.ReadAsStringAsync();
        Assert.Contains("<a href=\"./f/a/%3Cname%3E.txt\">f/a/&lt;name&gt;.txt</a>", html, StringComparison.Ordinal);
        Assert.Contains("value=\"name\"", html, StringComparison.Ordinal);
        using HttpResponseMessage none = await GetAsync("files/?search=%22%3Cx", ("Accept", "text/html"));
        html = await none.Content.ReadAsStringAsync();
        Assert.Contains("No name below this folder", html, StringComparison.Ordinal);
        Assert.Contains("value=\"&quot;&lt;x\"", html, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unchanged_listing_is_not_sent_again()
    {
        await Server.WriteAsync("f/a", Content.Of(10));
        using HttpResponseMessage first = await GetAsync("files/f/", ("Accept", "application/json"));
        string tag = first.Headers.ETag!.ToString();
        await TagSettlesAsync();
        using HttpResponseMessage again = await GetAsync("files/f/", ("Accept", "application/json"), ("If-None-Match", $"\"other\", {tag}"));
        Assert.Equal(HttpStatusCode.NotModified, again.StatusCode);
        Assert.Equal(tag, again.Headers.ETag!.ToString());
        Assert.Empty(await again.Content.ReadAsByteArrayAsync());

        // Also where the folder itself does not change, as another program writes.
        await Server.WriteAsync("f/a", Content.Of(11));
        using HttpResponseMessage changed = await GetAsync("files/f/", ("Accept", "application/json"), ("If-None-Match", tag));
        Assert.Equal(HttpStatusCode.OK, changed.StatusCode);
        Assert.NotEqual(tag, changed.Headers.ETag!.ToString());

        // The version of a file that was changed just now has a new tag in each listing until it is certain.
        async Task TagSettlesAsync() => await Bounded.UntilAsync(async () =>
        {
            using HttpResponseMessage next = await GetAsync("files/f/", ("Accept", "application/json"));
            string before = tag;
            tag = next.Headers.ETag!.ToString();
            return tag == before;
        });
    }

    [Fact]
    public async Task Search_waits_for_another_one_of_its_caller_and_ends_with_it()
    {
        await Server.WriteAsync("f/name", Content.Of(10));
        string path = Server.Url("files/?search=name").PathAndQuery;
        for (int i = 0; i < 20; i++)
        {
            // Whatever these do when they are cut, none keeps its caller from searching.
            using RawConnection gone = await RawConnection.OpenAsync(Server.Address, $"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }

        await Bounded.UntilAsync(async () =>
        {
            using HttpResponseMessage response = await GetAsync("files/?search=name");
            return response.StatusCode == HttpStatusCode.OK && (await LinesAsync(response)).Count(IsEntry) == 1;
        });
    }

    private static bool IsEntry(JsonElement line) => line.TryGetProperty("name", out _);

    private static async Task<JsonElement[]> LinesAsync(HttpResponseMessage response)
    {
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        string text = await response.Content.ReadAsStringAsync();
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
        return [.. text.TrimEnd('\n').Split('\n').Select(static line => JsonElement.Parse(line))];
    }
}
