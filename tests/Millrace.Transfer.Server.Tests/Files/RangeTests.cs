namespace Millrace.Transfer.Server.Tests.Files;

public sealed class RangeTests : ServerTest
{
    private static readonly byte[] Bytes = Content.Of(1000);

    [Theory]
    [InlineData("bytes=0-0", 0, 1)]
    [InlineData("bytes=0-99", 0, 100)]
    [InlineData("bytes=500-", 500, 500)]
    [InlineData("bytes=-1", 999, 1)]
    [InlineData("bytes=-5000", 0, 1000)]
    [InlineData("bytes=999-5000", 999, 1)]
    [InlineData("bytes=0-9,5-19", 0, 20)]
    [InlineData("bytes=10-19,0-9", 0, 20)]
    [InlineData("bytes=0-9,2000-", 0, 10)]
    [InlineData("Bytes=0-9", 0, 10)]
    [InlineData("bytes=990-9223372036854775807", 990, 10)]
    [InlineData("bytes=990-9223372036854775808", 990, 10)]
    [InlineData("bytes=990-99999999999999999999999999", 990, 10)]
    [InlineData("bytes=-18446744073709551616", 0, 1000)]
    [InlineData("bytes=00000000000000000000000000005-9", 5, 5)]
    [InlineData("bytes=9223372036854775808-,0-9", 0, 10)]
    public async Task One_range_is_sent_without_multipart(string range, int offset, int length)
    {
        await Server.WriteAsync("a", Bytes);
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", range));
        Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
        Assert.Equal($"bytes {offset}-{offset + length - 1}/1000", response.Content.Headers.ContentRange?.ToString());
        Assert.Equal(length, response.Content.Headers.ContentLength);
        Assert.Equal(DigestField.Format(Sha256Digest.Compute(Bytes)), response.Headers.GetValues("Repr-Digest").Single());
        Assert.Equal(Bytes[offset..(offset + length)], await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Ranges_are_sent_in_the_requested_order()
    {
        await Server.WriteAsync("a.txt", Bytes);
        using HttpResponseMessage response = await GetAsync("files/a.txt", ("Range", "bytes=500-509, 0-4, -3"));
        Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
        Assert.Equal("multipart/byteranges", response.Content.Headers.ContentType?.MediaType);
        byte[] body = await response.Content.ReadAsByteArrayAsync();
        Assert.Equal(body.Length, response.Content.Headers.ContentLength);
        Assert.Equal(
            [new(500, 10), new(0, 5), new(997, 3)], Multipart.Parse(response, body, "text/plain", Bytes));
    }

    [Theory]
    [InlineData("bytes=1000-")]
    [InlineData("bytes=-0")]
    [InlineData("bytes=1000-2000,3000-")]
    [InlineData("bytes=9223372036854775807-")]
    [InlineData("bytes=9223372036854775808-")]
    [InlineData("bytes=18446744073709551616-99999999999999999999999999")]
    public async Task Unsatisfiable_range_is_refused_with_the_length(string range)
    {
        await Server.WriteAsync("a", Bytes);
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", range));
        Assert.Equal(HttpStatusCode.RequestedRangeNotSatisfiable, response.StatusCode);
        Assert.Equal("bytes */1000", response.Content.Headers.ContentRange?.ToString());
        Assert.Equal("RangeNotSatisfiable", (await ProblemOf(response)).Error);
    }

    [Fact]
    public async Task Too_many_ranges_are_refused()
    {
        await Server.WriteAsync("a", Bytes);
        string all = string.Join(',', Enumerable.Range(0, RangeSelection.MaxRanges + 1).Select(static i => $"{i * 3}-{i * 3}"));
        await GetAsync("files/a", ("Range", $"bytes={all}")).AnswersAsync(HttpStatusCode.RequestedRangeNotSatisfiable);
        await GetAsync("files/a", ("Range", $"bytes={all[..all.LastIndexOf(',')]}"))
            .AnswersAsync(HttpStatusCode.PartialContent);
    }

    [Theory]
    [InlineData("bytes")]
    [InlineData("bytes=")]
    [InlineData("bytes=5-1")]
    [InlineData("bytes=a-b")]
    [InlineData("bytes=--1")]
    [InlineData("lines=0-5")]
    [InlineData("bytes=0-9, x")]
    [InlineData("bytes=99999999999999999999999999-0")]
    public async Task Invalid_range_is_ignored(string range)
    {
        await Server.WriteAsync("a", Bytes);
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", range));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(Bytes, await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task No_part_of_an_empty_file_can_be_sent()
    {
        await Server.WriteAsync("a", default);
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", "bytes=0-"));
        Assert.Equal(HttpStatusCode.RequestedRangeNotSatisfiable, response.StatusCode);
        Assert.Equal("bytes */0", response.Content.Headers.ContentRange?.ToString());
    }

    [Theory]
    [InlineData("{tag}", true)]
    [InlineData("W/{tag}", false)]
    [InlineData("\"other\"", false)]
    [InlineData("{date}", false)]
    [InlineData("Thu, 01 Jan 2015 00:00:00 GMT", false)]
    [InlineData("Fri, 31 Dec 2060 00:00:00 GMT", false)]
    [InlineData("nonsense", false)]
    [NeedsLocalFolder]
    public async Task Range_is_sent_only_for_the_clients_version(string condition, bool isPart)
    {
        string path = await Server.WriteAsync("a", Bytes);
        File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
        using HttpResponseMessage whole = await GetAsync("files/a");
        condition = condition.Replace("{tag}", whole.Headers.ETag!.ToString())
            .Replace("{date}", whole.Content.Headers.LastModified!.Value.ToString("R"));
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", "bytes=5-9"), ("If-Range", condition));
        Assert.Equal(isPart ? HttpStatusCode.PartialContent : HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(isPart ? Bytes[5..10] : Bytes, await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Date_does_not_prove_a_version()
    {
        string path = await Server.WriteAsync("a", Bytes);
        DateTime soon = DateTime.UtcNow.AddMinutes(5);
        File.SetLastWriteTimeUtc(path, soon);
        await GetAsync(
            "files/a", ("Range", "bytes=5-9"), ("If-Range", soon.ToString("R"))).AnswersAsync(HttpStatusCode.OK);
    }

    [Fact]
    public async Task Multipart_body_ends_after_its_last_part()
    {
        await Server.WriteAsync("a", Bytes);
        using HttpResponseMessage response = await GetAsync("files/a", ("Range", "bytes=0-0,9-9"));
        string body = Encoding.Latin1.GetString(await response.Content.ReadAsByteArrayAsync());
        Assert.Matches("\r\n--[0-9a-f]{32}--\r\n$", body);
    }
}
