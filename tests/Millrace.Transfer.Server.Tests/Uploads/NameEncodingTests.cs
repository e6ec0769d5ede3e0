using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>A name that is not UTF-8 is an invalid name in every protocol; replaced by U+FFFD, two files would become one.</summary>
public sealed class NameEncodingTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(10);

    /// <summary>Each is <c>a</c> and bytes that are not UTF-8: alone, overlong, half a surrogate pair, cut.</summary>
    public static TheoryData<byte[]> Invalid => [[0x61, 0xFF], [0x61, 0xC0, 0xAF], [0x61, 0xED, 0xA0, 0x80], [0x61, 0xE2, 0x82]];

    [Theory, MemberData(nameof(Invalid))]
    [NeedsLocalFolder]
    public async Task Names_that_are_not_UTF_8_are_refused_over_HTTP(byte[] name)
    {
        string encoded = Encode(name);
        string metadata = $"filename {Convert.ToBase64String(name)}";
        await AssertRefusedAsync(HttpMethod.Put, $"/files/{encoded}");
        await AssertRefusedAsync(HttpMethod.Put, $"/files/{encoded}", ("Upload-Complete", "?1"));
        await AssertRefusedAsync(HttpMethod.Get, $"/files/{encoded}");
        await AssertRefusedAsync(HttpMethod.Post, "/uploads", ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"), ("Upload-Metadata", metadata));
        await AssertRefusedAsync(HttpMethod.Post, "/uploads", ("Upload-Complete", "?1"), ("Upload-Metadata", metadata));
        foreach (string disposition in new[]
        {
            $"inline; filename*=UTF-8''{encoded}",
            $"attachment; filename=\"b\"; filename*=utf-8'en'{encoded}",
            $"inline; filename=\"=?utf-8?B?{Convert.ToBase64String(name)}?=\"",
        })
        {
            await AssertRefusedAsync(HttpMethod.Post, "/uploads", ("Upload-Complete", "?1"), ("Content-Disposition", disposition));
        }

        Assert.Equal([NameRules.HiddenFolder], Directory.GetFileSystemEntries(Server.Folder).Select(Path.GetFileName));
    }

    [Theory, MemberData(nameof(Invalid))]
    public async Task Names_that_are_not_UTF_8_are_refused_over_gRPC(byte[] name)
    {
        Put("a\uFFFD", Small);
        byte[] one = Frames.Of(Frames.Field(1, name));
        foreach (string method in new[] { "Stat", "Download", "Delete", "List", "StartUpload" })
        {
            (await CallAsync(method, one)).Failed(3, TransferError.InvalidName);
        }

        (await CallAsync("List", Frames.Of(Frames.Field(3, name)))).Failed(3, TransferError.InvalidName);
        byte[] upload = Frames.Join(Frames.Of(Frames.Field(3, Frames.Field(1, name))), Frames.Data(Small), Frames.End(Small.Length));
        (await CallAsync("Upload", upload)).Failed(3, TransferError.InvalidName);

        // Behind a group, which is skipped, and again with a valid name.
        (await CallAsync("Stat", Frames.Of([0x63, 0x64, .. Frames.Field(1, name)]))).Failed(3, TransferError.InvalidName);
        (await CallAsync("Stat", Frames.Of([.. Frames.Field(1, name), .. Frames.Field(1, "a"u8)]))).Failed(3, TransferError.InvalidName);
        (await CallAsync("QueryUpload", one)).Failed(3, TransferError.InvalidRequest);
        byte[] condition = Frames.Field(2, Frames.Field(3, name));
        (await CallAsync("Delete", Frames.Of([.. Frames.Field(1, "a"u8), .. condition]))).Failed(3, TransferError.InvalidRequest);
        Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf("a\uFFFD")));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Replacement_character_itself_is_part_of_a_name()
    {
        Put("a\uFFFD", Small);
        Assert.Equal(Small, (await CallAsync("Download", new DownloadRequest { Name = "a\uFFFD" })).Content());
        foreach (string disposition in new[] { "inline; filename*=UTF-8''x%2Fb%EF%BF%BD", "inline; filename*=UTF-8''x%2Fc%C3%A4" })
        {
            using HttpResponseMessage response = await PostAsync(
                HttpMethod.Post, "/uploads", [("Upload-Complete", "?1"), ("Content-Disposition", disposition)]);
            Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        }

        Assert.Equal(["b\uFFFD", "cä"], Directory.GetFiles(PathOf("x")).Select(Path.GetFileName).Order(StringComparer.Ordinal));
    }

    private static string Encode(byte[] name) => string.Concat(name.Select(static value => $"%{value:X2}"));

    private async Task AssertRefusedAsync(HttpMethod method, string path, params (string Name, string Value)[] fields)
    {
        using HttpResponseMessage response = await PostAsync(method, path, fields);
        string body = await response.Content.ReadAsStringAsync();
        Assert.True(response.StatusCode == HttpStatusCode.BadRequest, $"{response.StatusCode} {path} {string.Join(' ', fields)}: {body}");
        Assert.Equal(nameof(TransferError.InvalidName), JsonSerializer.Deserialize(body, TransferJson.Default.ErrorDocument)!.Error);
    }

    private async Task<HttpResponseMessage> PostAsync(HttpMethod method, string path, (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, path);
        if (method != HttpMethod.Get)
        {
            request.Content = new ByteArrayContent([1]);
            request.Content.Headers.ContentType = new("application/offset+octet-stream");
        }

        foreach ((string name, string value) in fields)
        {
            Assert.True(
                request.Headers.TryAddWithoutValidation(name, value) || request.Content!.Headers.TryAddWithoutValidation(name, value));
        }

        return await Server.Client.SendAsync(request);
    }
}
