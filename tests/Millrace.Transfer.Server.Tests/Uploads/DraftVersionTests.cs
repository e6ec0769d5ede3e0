namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>Every version of the draft, as clients that speak only that one send it: from iOS 17's to the newest.</summary>
public sealed class DraftVersionTests : ServerTest
{
    public static TheoryData<int> Versions { get; } = [3, 4, 5, 6, 7, 8, 9];

    [Theory, MemberData(nameof(Versions))]
    public async Task Upload_cut_in_its_first_request_goes_on_at_the_URL_of_the_interim_response(int version)
    {
        byte[] content = Content.Of(70_000);
        string url;
        using (RawConnection connection = await RawConnection.OpenAsync(Server.Address))
        {
            await connection.SendAsync(
                $"PUT /files/a HTTP/1.1\r\nHost: x\r\nContent-Length: {content.Length}\r\n{Field(version, complete: true)}\r\n"
                + $"{Speaks(version)}\r\n\r\n");
            string interim = await connection.ReadHeadAsync();
            Assert.StartsWith("HTTP/1.1 104 ", interim, StringComparison.Ordinal);
            Assert.Contains($"\r\n{Speaks(version)}\r\n", interim, StringComparison.Ordinal);
            url = interim.Split("\r\n").Single(static line => line.StartsWith("Location: ", StringComparison.Ordinal))["Location: ".Length..];
            await connection.SendAsync(content[..30_000]);
            await Server.ReceivedAsync(url, 30_000);
            connection.Reset();
        }

        using HttpResponseMessage head = await Server.DraftAsync(HttpMethod.Head, url, null, Speaks(version));
        Assert.Equal(HttpStatusCode.NoContent, head.StatusCode);
        Assert.Equal("30000", head.Field("Upload-Offset"));
        AssertCompleteness(head, version, complete: false);

        using HttpResponseMessage last = await Server.DraftAsync(
            HttpMethod.Patch, url, content[30_000..], "Upload-Offset: 30000", Speaks(version), Field(version, complete: true));
        Assert.Equal(HttpStatusCode.Created, last.StatusCode);
        AssertCompleteness(last, version, complete: true);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory, MemberData(nameof(Versions))]
    public async Task Parts_are_acknowledged_as_the_version_says(int version)
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Post, "/uploads", [1, 2], "Content-Disposition: inline; filename=a", Speaks(version), Field(version, complete: false));
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        AssertCompleteness(created, version, complete: false);
        string url = created.Headers.Location!.OriginalString;

        using HttpResponseMessage part = await Server.DraftAsync(
            HttpMethod.Patch, url, [3], "Upload-Offset: 2", Speaks(version), Field(version, complete: false));
        Assert.Equal(version <= 4 ? HttpStatusCode.Created : HttpStatusCode.NoContent, part.StatusCode);
        Assert.Equal("3", part.Field("Upload-Offset"));
        AssertCompleteness(part, version, complete: false);

        using HttpResponseMessage wrong = await Server.DraftAsync(
            HttpMethod.Patch, url, [3], "Upload-Offset: 2", Speaks(version), Field(version, complete: false));
        Assert.Equal(HttpStatusCode.Conflict, wrong.StatusCode);
        Assert.Equal("3", wrong.Field("Upload-Offset"));
        AssertCompleteness(wrong, version, complete: false);
        Assert.Empty(Server.VisibleFiles());

        await Server.DraftAsync(HttpMethod.Patch, url, [], "Upload-Offset: 3", Speaks(version), Field(version, complete: true))
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Equal([1, 2, 3], await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory, InlineData(3, true), InlineData(4, false)]
    public async Task A_part_need_not_say_whether_it_is_the_last_one_in_the_first_drafts(int version, bool isLast)
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1], Speaks(version), Field(version, complete: false));
        using HttpResponseMessage part = await Server.DraftAsync(
            HttpMethod.Patch, created.Headers.Location!.OriginalString, [2], "Upload-Offset: 1", Speaks(version));
        Assert.Equal(HttpStatusCode.Created, part.StatusCode);
        AssertCompleteness(part, version, isLast);
        Assert.Equal(isLast, File.Exists(Server.PathOf("a")));
    }

    [Theory, MemberData(nameof(Versions))]
    public async Task Only_the_first_drafts_refuse_an_offset_in_other_requests(int version)
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1], Speaks(version), Field(version, complete: false));
        string url = created.Headers.Location!.OriginalString;
        foreach (HttpMethod method in (HttpMethod[])[HttpMethod.Get, HttpMethod.Head, HttpMethod.Delete])
        {
            await Server.DraftAsync(method, url, null, "Upload-Offset: 1", Speaks(version))
                .AnswersAsync(version <= 4 ? HttpStatusCode.BadRequest : HttpStatusCode.NoContent);
        }
    }

    [Theory, InlineData("2"), InlineData("10"), InlineData("nine")]
    public async Task Whole_file_of_an_unknown_version_is_put_as_if_it_had_none(string version)
    {
        using HttpResponseMessage put = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2], "Upload-Complete: ?1", $"Upload-Draft-Interop-Version: {version}");
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal("/files/a", put.Field("Location"));
        Assert.Null(put.Field("Upload-Complete"));
        Assert.Null(put.Field("Upload-Draft-Interop-Version"));
        Assert.Equal([1, 2], await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory, InlineData("2"), InlineData("10")]
    public async Task Part_of_an_unknown_version_is_not_put_as_the_whole(string version)
    {
        await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2], "Upload-Complete: ?0", $"Upload-Draft-Interop-Version: {version}").AnswersAsync(HttpStatusCode.Created);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Completeness_in_the_field_of_another_draft_counts_only_without_its_own()
    {
        await Server.DraftAsync(HttpMethod.Put, "/files/a", [1], Speaks(8), "Upload-Complete: ?0", "Upload-Incomplete: ?0")
            .AnswersAsync(HttpStatusCode.Created);
        await Server.DraftAsync(HttpMethod.Put, "/files/b", [1], Speaks(3), "Upload-Complete: ?1", "Upload-Incomplete: ?1")
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Empty(Server.VisibleFiles());
        using HttpResponseMessage begun = await Server.DraftAsync(HttpMethod.Put, "/files/c", [1], Speaks(3), "Upload-Complete: ?0");
        await Server.DraftAsync(
            HttpMethod.Patch, begun.Headers.Location!.OriginalString, [2], Speaks(3), "Upload-Offset: 1", "Upload-Complete: ?0")
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task OPTIONS_without_limits_has_a_minimum_of_0()
    {
        foreach (string path in (string[])["/files/a", "/uploads"])
        {
            using HttpResponseMessage response = await Server.DraftAsync(HttpMethod.Options, path);
            Assert.Equal("min-size=0", response.Field("Upload-Limit"));
        }
    }

    private static string Speaks(int version) => $"Upload-Draft-Interop-Version: {version}";

    private static string Field(int version, bool complete) =>
        version == 3 ? $"Upload-Incomplete: {(complete ? "?0" : "?1")}" : $"Upload-Complete: {(complete ? "?1" : "?0")}";

    private static void AssertCompleteness(HttpResponseMessage response, int version, bool complete)
    {
        string[] expected = Field(version, complete).Split(": ");
        Assert.Equal(expected[1], response.Field(expected[0]));
        Assert.Null(response.Field(version == 3 ? "Upload-Complete" : "Upload-Incomplete"));
        Assert.Equal($"{version}", response.Field("Upload-Draft-Interop-Version"));
    }
}
