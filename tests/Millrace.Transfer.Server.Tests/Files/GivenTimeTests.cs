using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Files that have the time that their writer gives them.</summary>
public sealed class GivenTimeTests : ServerTest
{
    private const string Time = "1500000000.123456789";
    private const string Listed = "2017-07-14T02:40:00.123456789Z";

    [Theory]
    [InlineData("Millrace-Modified", Time, Time)]
    [InlineData("Millrace-Modified", "-100000000.5", "-100000000.5")]
    [InlineData("X-OC-Mtime", "1500000000", "1500000000")]
    public async Task Put_file_has_the_given_time_in_every_answer(string field, string given, string expected)
    {
        using HttpResponseMessage put = await SendAsync(HttpMethod.Put, "files/a", new StringContent("abc"), (field, given));
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal(field == "X-OC-Mtime" ? ["accepted"] : [], put.Headers.TryGetValues("X-OC-Mtime", out var values) ? values : []);
        foreach (HttpMethod method in (HttpMethod[])[HttpMethod.Get, HttpMethod.Head])
        {
            using HttpResponseMessage got = await SendAsync(method, "files/a");
            Assert.Equal(expected, Assert.Single(got.Headers.GetValues("Millrace-Modified")));
            Assert.True(FileTime.TryParse(expected, out FileTime time));
            Assert.Equal(time.Seconds, got.Content.Headers.LastModified!.Value.ToUnixTimeSeconds());
        }
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Listing_has_nine_digits_of_the_second()
    {
        await SendAsync(HttpMethod.Put, "files/a", new StringContent("abc"), ("Millrace-Modified", Time));
        using HttpResponseMessage listing = await GetAsync("files/", ("Accept", "application/json"));
        Assert.Contains($"\"modified\":\"{Listed}\"", await listing.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("yesterday")]
    [InlineData("253402300800")]
    [InlineData("1, 2")]
    public async Task Time_that_cannot_be_read_is_refused_and_that_of_other_programs_passed_over(string given)
    {
        using HttpResponseMessage refused = await SendAsync(HttpMethod.Put, "files/a", new StringContent("abc"), ("Millrace-Modified", given));
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Contains("Millrace-Modified", (await ProblemOf(refused)).Detail, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await GetAsync("files/a")).StatusCode);

        using HttpResponseMessage other = await SendAsync(HttpMethod.Put, "files/a", new StringContent("abc"), ("X-OC-Mtime", given));
        Assert.Equal(HttpStatusCode.Created, other.StatusCode);
        Assert.False(other.Headers.Contains("X-OC-Mtime"));
    }

    [Theory]
    [InlineData(Time, Time)]
    [InlineData("2017-07-14", null)]
    [InlineData("", null)]
    public async Task Metadata_of_tus_has_the_time(string given, string? expected)
    {
        string metadata = $"filename {Base64("a")},mtime {Base64(given)}";
        using HttpResponseMessage created = await SendAsync(
            HttpMethod.Post, "uploads", new ByteArrayContent([]), ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", metadata));
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        var content = new StringContent("abc") { Headers = { ContentType = new MediaTypeHeaderValue("application/offset+octet-stream") } };
        using HttpResponseMessage sent = await SendAsync(
            HttpMethod.Patch, created.Headers.Location!.ToString().TrimStart('/'), content, ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0"));
        Assert.Equal(HttpStatusCode.NoContent, sent.StatusCode);
        string had = Assert.Single((await GetAsync("files/a")).Headers.GetValues("Millrace-Modified"));
        Assert.Equal(expected is not null, had == expected);
    }

    [Fact]
    public async Task Upload_of_the_draft_has_the_time()
    {
        using HttpResponseMessage put = await SendAsync(
            HttpMethod.Put, "files/a", new StringContent("abc"), ("Upload-Complete", "?1"), ("Upload-Draft-Interop-Version", "8"), ("Millrace-Modified", Time));
        Assert.True(put.IsSuccessStatusCode);
        Assert.Equal(Time, Assert.Single((await GetAsync("files/a")).Headers.GetValues("Millrace-Modified")));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task File_that_an_older_one_replaces_is_sent_and_not_called_unchanged()
    {
        await SendAsync(HttpMethod.Put, "files/a", new StringContent("new"), ("Millrace-Modified", "1500000000"));
        using HttpResponseMessage first = await GetAsync("files/a");
        string date = first.Content.Headers.LastModified!.Value.ToString("R");
        Assert.Equal(HttpStatusCode.NotModified, (await GetAsync("files/a", ("If-Modified-Since", date))).StatusCode);

        await SendAsync(HttpMethod.Put, "files/a", new StringContent("old"), ("Millrace-Modified", "1400000000"));
        using HttpResponseMessage second = await GetAsync("files/a", ("If-Modified-Since", date));
        Assert.Equal("old", await second.Content.ReadAsStringAsync());
        using HttpResponseMessage third = await GetAsync("files/a", ("If-None-Match", first.Headers.ETag!.ToString()));
        Assert.Equal("old", await third.Content.ReadAsStringAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [NeedsLocalFolder]
    public async Task Versions_of_equal_length_and_time_have_different_tags_however_fast_they_follow(bool deletes)
    {
        var tags = new HashSet<string>();
        for (int i = 0; i < 60; i++)
        {
            string content = $"{i:000}";
            using HttpResponseMessage put = await SendAsync(HttpMethod.Put, "files/a", new StringContent(content), ("Millrace-Modified", Time));
            Assert.True(tags.Add(put.Headers.ETag!.Tag), $"The version {i} has a tag that another one had.");
            using HttpResponseMessage got = await GetAsync("files/a");
            Assert.Equal((content, put.Headers.ETag.Tag), (await got.Content.ReadAsStringAsync(), got.Headers.ETag!.Tag));
            if (deletes)
            {
                await SendAsync(HttpMethod.Delete, "files/a");
            }
        }
    }

    private static string Base64(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));
}
