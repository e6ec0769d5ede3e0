namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>Uploads whose requests are deltas: references to the version that is there, checked as anything that comes from others.</summary>
public sealed class DeltaUploadTests : ServerTest
{
    private static readonly byte[] Old = Content.Random(50_000);

    public static TheoryData<string> Hostile => new(
        "02",
        "01 00",
        "01 01 00",
        "01 81 10 01",
        "01 81 10 C0 BA 0D",
        "01 81 10 FF FF FF FF FF FF FF FF FF 01",
        "01 81 10 FE FF FF FF FF FF FF FF FF 01",
        "01 03 00",
        "01 03 00 03 00 03 00 03 00",
        "01 80 80 80 80 80 80 80 80 80 80 01",
        "01 FF FF FF FF FF FF FF FF FF 02",
        "01 FE FF FF FF FF FF FF FF FF 01",
        "01 FF FF FF FF FF FF FF FF FF 01 00",
        "01 81",
        "01 10 41",
        "");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Delta_makes_the_file(bool tus)
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        byte[] content = [.. Old.AsSpan(20_000, 10_000), .. "middle"u8, .. Old.AsSpan(0, 30_000), .. Old.AsSpan(49_900)];
        byte[] delta = Delta((20_000, 10_000), "middle"u8.ToArray(), (0, 30_000), (49_900, 100));
        string upload = await StartAsync("a", content, tus, $"If-Match: {tag}");

        using HttpResponseMessage response = await PatchAsync(upload, 0, delta, tag, tus);

        Assert.True(response.IsSuccessStatusCode, await response.Content.ReadAsStringAsync());
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));
        Assert.Equal($"{content.Length}", response.Field("Upload-Offset"));
    }

    [Fact]
    public async Task Delta_and_bytes_alternate_in_one_upload()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        byte[] content = [.. Old.AsSpan(0, 10_000), .. "more"u8, .. Old.AsSpan(1000, 2000)];
        string upload = await StartAsync("a", content, tus: true);
        await PatchAsync(upload, 0, Delta((0, 10_000)), tag, tus: true).AnswersAsync(HttpStatusCode.NoContent);
        await Server.PatchTusAsync(upload, 10_000, "more"u8.ToArray()).AnswersAsync(HttpStatusCode.NoContent);
        await PatchAsync(upload, 10_004, Delta((1000, 2000)), tag, tus: true).AnswersAsync(HttpStatusCode.NoContent);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory, MemberData(nameof(Hostile))]
    public async Task Malformed_delta_is_refused_and_changes_nothing(string hex)
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        byte[] delta = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        foreach (bool tus in (bool[])[true, false])
        {
            string upload = await StartAsync("a", Old, tus);
            using HttpResponseMessage response = await PatchAsync(upload, 0, delta, tag, tus);
            Assert.True(
                response.StatusCode is HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge || delta.Length == 0, $"{response.StatusCode}");
            Assert.Equal(Old, await File.ReadAllBytesAsync(Server.PathOf("a")));
        }

        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task What_a_delta_made_before_it_is_refused_is_kept()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        string upload = await StartAsync("a", Old, tus: true);
        using HttpResponseMessage refused = await PatchAsync(upload, 0, [.. Delta((0, 20_000)), 1, 0], tag, tus: true);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Equal("20000", refused.Field("Upload-Offset"));
        await PatchAsync(upload, 20_000, Delta((20_000, 30_000)), tag, tus: true).AnswersAsync(HttpStatusCode.NoContent);
        Assert.Equal(Old, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Delta_of_another_version_is_refused()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        string upload = await StartAsync("a", Old, tus: false);
        await Server.WriteAsync("a", Old.AsMemory(1));
        using HttpResponseMessage response = await PatchAsync(upload, 0, Delta((0, 10_000)), tag, tus: false);
        Assert.Equal(HttpStatusCode.PreconditionFailed, response.StatusCode);
        File.Delete(Server.PathOf("a"));
        await PatchAsync(upload, 0, Delta((0, 10_000)), tag, tus: false).AnswersAsync(HttpStatusCode.PreconditionFailed);
        await PatchAsync(upload, 0, Delta((0, 10_000)), "W/" + tag, tus: false).AnswersAsync(HttpStatusCode.BadRequest);
        await PatchAsync(upload, 0, Delta((0, 10_000)), "none", tus: false).AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Fact]
    public async Task File_that_is_replaced_before_the_end_is_not_replaced_by_the_delta()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        byte[] content = [.. Old.AsSpan(0, 20_000), .. "end"u8];
        string upload = await StartAsync("a", content, tus: false, $"If-Match: {tag}");
        await PatchAsync(upload, 0, Delta((0, 20_000)), tag, tus: false, complete: "?0").AnswersAsync(HttpStatusCode.NoContent);
        await Server.WriteAsync("a", Old.AsMemory(1));
        await Server.PatchDraftAsync(upload, 20_000, "end"u8.ToArray(), "?1").AnswersAsync(HttpStatusCode.PreconditionFailed);
        Assert.Equal(Old[1..], await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Wrong_result_is_not_published()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        string upload = await StartAsync("a", [.. Old.AsSpan(0, 10_000), .. Old.AsSpan(0, 10_000)], tus: false);
        using HttpResponseMessage response = await PatchAsync(upload, 0, Delta((0, 20_000)), tag, tus: false);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("DigestMismatch", (await ProblemOf(response)).Error);
        Assert.Equal(Old, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Delta_needs_a_length_and_an_upload()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        using HttpResponseMessage started = await Server.DraftAsync(HttpMethod.Put, "/files/a", [], "Upload-Complete: ?0");
        await PatchAsync(started.Headers.Location!.OriginalString, 0, Delta((0, 1000)), tag, tus: false).AnswersAsync(HttpStatusCode.BadRequest);
        await Server.DraftAsync(HttpMethod.Put, "/files/a", Delta((0, 1000)), $"Upload-Delta-Base: {tag}").AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Equal(Old, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Checksum_is_that_of_the_instructions()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        byte[] delta = Delta((0, 50_000));
        string upload = await StartAsync("a", Old, tus: true);
        await PatchAsync(upload, 0, delta, tag, tus: true, "", $"Upload-Checksum: sha256 {Convert.ToBase64String(SHA256.HashData(Old))}")
            .AnswersAsync((HttpStatusCode)460);
        await PatchAsync(upload, 0, delta, tag, tus: true, "", $"Upload-Checksum: sha256 {Convert.ToBase64String(SHA256.HashData(delta))}")
            .AnswersAsync(HttpStatusCode.NoContent);
    }

    [Fact]
    public async Task References_make_no_more_than_the_declared_length()
    {
        await Server.WriteAsync("a", Old);
        string tag = await TagAsync("a");
        string upload = await StartAsync("a", Old, tus: true);
        byte[] bomb = Delta([.. Enumerable.Repeat((Part)(0, 50_000), 100_000)]);
        using HttpResponseMessage response = await PatchAsync(upload, 0, bomb, tag, tus: true);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal(Old, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    private async Task<string> TagAsync(string name)
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Head, $"files/{name}");
        return response.Field("ETag")!;
    }

    private async Task<string> StartAsync(string name, byte[] content, bool tus, params string[] fields)
    {
        string digest = $"Repr-Digest: {DigestField.Format(Sha256Digest.Compute(content))}";
        if (tus)
        {
            return await Server.BeginAsync(name, content.Length, [digest, .. fields]);
        }

        using HttpResponseMessage response = await Server.DraftAsync(
            HttpMethod.Put, $"/files/{name}", [], ["Upload-Complete: ?0", $"Upload-Length: {content.Length}", digest, .. fields]);
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        return response.Headers.Location!.OriginalString;
    }

    private Task<HttpResponseMessage> PatchAsync(
        string upload, long offset, byte[] delta, string tag, bool tus, string complete = "?1", params string[] fields) => tus
        ? Server.PatchTusAsync(upload, offset, delta, [$"Upload-Delta-Base: {tag}", .. fields])
        : Server.PatchDraftAsync(upload, offset, delta, complete, [$"Upload-Delta-Base: {tag}", .. fields]);

    private static byte[] Delta(params Part[] parts)
    {
        var stream = new MemoryStream();
        stream.WriteByte(DeltaFormat.Version);
        byte[] head = new byte[DeltaFormat.MaxInstructionBytes];
        long expected = 0;
        foreach (Part part in parts)
        {
            if (part.Literal is { } literal)
            {
                stream.Write(head, 0, DeltaFormat.WriteLiteral(head, literal.Length));
                stream.Write(literal);
                continue;
            }

            stream.Write(head, 0, DeltaFormat.WriteCopy(head, part.Length, part.Offset - expected));
            expected = part.Offset + part.Length;
        }

        return stream.ToArray();
    }

    private readonly record struct Part(long Offset, long Length, byte[]? Literal)
    {
        public static implicit operator Part((long Offset, long Length) reference) => new(reference.Offset, reference.Length, null);

        public static implicit operator Part(byte[] literal) => new(0, 0, literal);
    }
}
