using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Files;

public sealed class ListingTests : ServerTest
{
    [Fact]
    public async Task A_folder_is_listed_for_programs()
    {
        await Server.WriteAsync("f/a.txt", Content.Of(10));
        await Server.WriteAsync("f/sub/b.txt", Content.Of(20));
        ListingDocument listing = await ListAsync("files/f/");
        Assert.Equal("f", listing.Folder);
        Assert.Null(listing.Next);
        Assert.Equal(["f/a.txt", "f/sub"], listing.Entries.Select(static entry => entry.Name));
        Assert.Equal(["file", "folder"], listing.Entries.Select(static entry => entry.Kind));
        Assert.Equal([10, null], listing.Entries.Select(static entry => entry.Length));
        using HttpResponseMessage get = await GetAsync("files/f/a.txt");
        Assert.Equal(get.Headers.ETag?.ToString(), listing.Entries[0].Tag);
    }

    [Fact]
    public async Task Listing_continues_from_page_to_page()
    {
        for (int i = 0; i < 7; i++)
        {
            await Server.WriteAsync($"f/{i} &.txt", Content.Of(1));
        }

        var names = new List<string>();
        string after = "";
        do
        {
            ListingDocument page = await ListAsync($"files/f/?limit=3{after}");
            Assert.InRange(page.Entries.Count, 1, 3);
            names.AddRange(page.Entries.Select(static entry => entry.Name));
            after = page.Next is null ? "" : $"&after={Uri.EscapeDataString(page.Next)}";
        }
        while (after.Length > 0 && names.Count < 100);
        Assert.Equal(Enumerable.Range(0, 7).Select(static i => $"f/{i} &.txt"), names);
    }

    [Fact]
    public async Task Listing_honours_prefix_and_recursion()
    {
        await Server.WriteAsync("may/1", Content.Of(1));
        await Server.WriteAsync("may/x/2", Content.Of(1));
        await Server.WriteAsync("june", Content.Of(1));
        Assert.Equal(["may"], (await ListAsync("files/?prefix=m")).Entries.Select(static entry => entry.Name));
        Assert.Equal(
            ["june", "may/1", "may/x/2"], (await ListAsync("files/?recursive")).Entries.Select(static entry => entry.Name));
        Assert.Equal(
            ["may/x/2"], (await ListAsync("files/may/?recursive=1&prefix=x")).Entries.Select(static entry => entry.Name));
    }

    [Theory]
    [InlineData("?digests", true)]
    [InlineData("?digests=true", true)]
    [InlineData("?digests=false", false)]
    [InlineData("?recursive&digests=0", false)]
    [InlineData("?recursive&symlinks", true)]
    [InlineData("?recursive&symlinks&digests=false", false)]
    public async Task Listing_has_digests_unless_they_are_not_wanted(string query, bool hasDigests)
    {
        (await Server.Client.PutAsync("files/f/x", new ByteArrayContent(Content.Of(1000)))).Dispose();
        ListingEntry entry = Assert.Single((await ListAsync("files/f/" + query)).Entries);

        // Of a bucket's files they are not listed.
        Assert.Equal(hasDigests && !TestedStore.IsBucket, entry.Sha256 is not null);
        Assert.Equal(1000, entry.Length);
        Assert.NotNull(entry.Tag);
    }

    [Theory]
    [InlineData("files/none/", 404)]
    [InlineData("files/?limit=0", 400)]
    [InlineData("files/?limit=10001", 400)]
    [InlineData("files/?limit=x", 400)]
    [InlineData("files/?after=../x", 400)]
    [InlineData("files/?after=/etc", 400)]
    [InlineData("files/?archive=rar", 400)]
    public async Task Invalid_listing_request_is_refused(string path, int status)
    {
        using HttpResponseMessage response = await GetAsync(path);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.NotEmpty((await ProblemOf(response)).Detail);
    }

    [Theory]
    [InlineData("?prefix=..%2f")]
    [InlineData("?prefix=../")]
    [InlineData("?prefix=%00")]
    [InlineData("?recursive&prefix=../../")]
    public async Task A_prefix_does_not_lead_outside(string query)
    {
        await Server.WriteAsync("inside", Content.Of(1));
        using HttpResponseMessage response = await GetAsync($"files/{query}", ("Accept", "application/json"));
        if (response.IsSuccessStatusCode)
        {
            Assert.Empty((await response.Content.ReadFromJsonAsync(TransferJson.Default.ListingDocument))!.Entries);
        }
        else
        {
            Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        }
    }

    [Theory]
    [InlineData(null, "text/html")]
    [InlineData("*/*", "text/html")]
    [InlineData("application/json, text/plain, */*", "application/json")]
    [InlineData("application/json", "application/json")]
    [InlineData("text/html", "text/html")]
    [InlineData("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html")]
    [InlineData("text/*;q=0.5, application/*;q=0.9", "application/json")]
    [InlineData("text/html;q=0.1, application/json", "application/json")]
    [InlineData("nonsense", "application/json")]
    public async Task Listing_is_HTML_if_the_client_prefers_it(string? accept, string expected)
    {
        using HttpResponseMessage response = accept is null
            ? await GetAsync("files/")
            : await GetAsync("files/", ("Accept", accept));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(expected, response.Content.Headers.ContentType?.MediaType);
        Assert.Contains("Accept", response.Headers.Vary);
    }

    [Fact]
    public async Task The_stores_own_folder_is_not_listed()
    {
        using HttpResponseMessage put = await SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent(Content.Of(10)));
        Assert.Equal(["a"], (await ListAsync("files/?recursive")).Entries.Select(static entry => entry.Name));
        Assert.Equal(["a"], (await ListAsync("files/")).Entries.Select(static entry => entry.Name));
    }

    private async Task<ListingDocument> ListAsync(string path)
    {
        using HttpResponseMessage response = await GetAsync(path, ("Accept", "application/json"));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return (await response.Content.ReadFromJsonAsync(TransferJson.Default.ListingDocument))!;
    }
}
