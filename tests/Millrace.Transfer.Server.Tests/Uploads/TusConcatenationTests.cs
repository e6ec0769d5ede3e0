namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusConcatenationTests : ServerTest
{
    private static readonly string Metadata = $"Upload-Metadata: filename {UploadServer.Base64("whole")}";

    [Theory, InlineData(false), InlineData(true)]
    public async Task Parts_are_joined_in_the_given_order(bool absolute)
    {
        string first = await PartAsync([1, 2, 3]);
        string second = await PartAsync([4, 5]);
        string prefix = absolute ? Server.Address.GetLeftPart(UriPartial.Authority) : "";
        using HttpResponseMessage joined = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{prefix}{second} {prefix}{first}", Metadata);
        Assert.Equal(HttpStatusCode.Created, joined.StatusCode);
        Assert.Equal([4, 5, 1, 2, 3], await File.ReadAllBytesAsync(Server.PathOf("whole")));
        string url = joined.Headers.Location!.OriginalString;

        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal($"final;{second} {first}", head.Field("Upload-Concat"));
        Assert.Equal("5", head.Field("Upload-Length"));
        await Server.PatchTusAsync(url, 5, [6]).AnswersAsync(HttpStatusCode.Forbidden);
    }

    [NeedsFact(Need.Native | Need.Root)]
    [NeedsLocalFolder]
    public async Task Joined_file_gets_the_group_and_the_access_list_that_its_folder_gives()
    {
        Shell.Run("chgrp", "5678", Server.Root);
        Shell.Run("chmod", "2775", Server.Root);
        AccessLists.SetDefault(Server.Root);
        await SendAsync(HttpMethod.Put, "files/like", new ByteArrayContent([1])).AnswersAsync(HttpStatusCode.Created);

        using HttpResponseMessage joined = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{await PartAsync([1])} {await PartAsync([2])}", Metadata);

        Assert.Equal(
            Shell.Run("stat", "-c", "%g %a", Server.PathOf("like")), Shell.Run("stat", "-c", "%g %a", Server.PathOf("whole")));
        Assert.Equal(AccessLists.Get(Server.PathOf("like")), AccessLists.Get(Server.PathOf("whole")));
    }

    [Fact]
    public async Task Partial_upload_is_reported_as_such_and_never_published()
    {
        string part = await PartAsync([1]);
        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, part);
        Assert.Equal("partial", head.Field("Upload-Concat"));
        Assert.Equal("1", head.Field("Upload-Offset"));
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Unfinished_parts_are_refused()
    {
        using HttpResponseMessage part = await Server.TusAsync(
            HttpMethod.Post, "/uploads", [1], "Upload-Length: 2", "Upload-Concat: partial");
        await ThrowsAsync($"final;{part.Headers.Location!.OriginalString}", HttpStatusCode.BadRequest, "1 of 2 bytes");
    }

    [Fact]
    public async Task Invalid_part_is_refused()
    {
        string url = await Server.BeginAsync("b", 1);
        await ThrowsAsync($"final;{url}", HttpStatusCode.BadRequest, "not partial");
        await ThrowsAsync($"final;/uploads/{UploadId.Next()}", HttpStatusCode.NotFound, "never started");
        await ThrowsAsync("final;nonsense", HttpStatusCode.BadRequest, "part 1");
    }

    [Theory]
    [InlineData("A,B")]
    [InlineData("A;B")]
    [InlineData("A%20B")]
    [InlineData("A%2CB")]
    [InlineData("A+B")]
    [InlineData("A|B")]
    [InlineData("A\tB")]
    [InlineData("nothing,B")]
    [InlineData("A B,A")]
    public async Task Parts_that_are_not_separated_by_spaces_are_refused(string list)
    {
        (string first, string second) = (await PartAsync([1]), await PartAsync([2]));
        await ThrowsAsync(
            "final;" + list.Replace("A", first, StringComparison.Ordinal).Replace("B", second, StringComparison.Ordinal),
            HttpStatusCode.BadRequest,
            "by spaces");
    }

    [Fact]
    public async Task Parts_in_two_fields_are_refused()
    {
        (string first, string second) = (await PartAsync([1]), await PartAsync([2]));
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{first}", $"Upload-Concat: {second}", Metadata);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task A_joined_upload_has_no_length_of_its_own()
    {
        string part = await PartAsync([1]);
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{part}", "Upload-Length: 1", Metadata);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
    }

    [Fact]
    public async Task Existing_name_is_refused_and_the_parts_stay()
    {
        string part = await PartAsync([1]);
        await Server.WriteAsync("whole", new byte[] { 9 });
        using HttpResponseMessage refused = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{part}", "If-None-Match: *", Metadata);
        Assert.Equal(HttpStatusCode.PreconditionFailed, refused.StatusCode);
        using HttpResponseMessage joined = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: final;{part}", Metadata);
        Assert.Equal(HttpStatusCode.Created, joined.StatusCode);
        Assert.Equal([1], await File.ReadAllBytesAsync(Server.PathOf("whole")));
    }

    private async Task<string> PartAsync(byte[] content)
    {
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", content, $"Upload-Length: {content.Length}", "Upload-Concat: partial");
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        return response.Headers.Location!.OriginalString;
    }

    private async Task ThrowsAsync(string concat, HttpStatusCode status, string why)
    {
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, $"Upload-Concat: {concat}", Metadata);
        Assert.Equal(status, response.StatusCode);
        Assert.Contains(why, await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Empty(Server.VisibleFiles());
    }
}
