using System.Text.Json;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>Objects that other programs put into the bucket.</summary>
public sealed class ForeignObjectTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Keys_with_empty_segments_are_no_names_and_hide_no_others()
    {
        foreach (string key in new[] { "f/a", "f//", "f//x", "f///y", "f/z/b", "f/z//c", "g//x" })
        {
            await Bucket.PutAsync(key, new byte[1]);
        }

        await using ServedBucket server = await ServeAsync();

        Assert.Equal(["f", "g"], await ListAsync(server, ""));
        Assert.Equal(["f/a", "f/z"], await ListAsync(server, "f/"));
        Assert.Equal(["f/z/b"], await ListAsync(server, "f/z/"));
        Assert.Empty(await ListAsync(server, "g/"));
        (int exitCode, string _, string error) = await MillraceCommand.RunAsync(Folder.Path, environment: null, "get", server.Files, "back");
        Assert.Equal(1, exitCode);
        Assert.Contains("5 entries", error, StringComparison.Ordinal);
        Assert.Equal(["a", "b"], Directory.GetFiles(Folder["back"], "*", SearchOption.AllDirectories).Select(Path.GetFileName).Order());
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData("")]
    [InlineData("foreign")]
    [InlineData("1/2")]
    [InlineData("12")]
    [InlineData("9999999999")]
    [InlineData("99999999999999999999")]
    [InlineData("-000000001")]
    public async Task Foreign_object_among_the_claims_of_a_name_stops_nobody(string key)
    {
        string hash = Convert.ToHexStringLower(SHA256.HashData("a"u8))[..32];
        await Bucket.PutAsync($".millrace/claims/{hash}/{key}", new byte[1]);
        await Bucket.PutAsync("a", "old"u8.ToArray());
        await using S3FileStore store = Open();

        Assert.True(await store.DeleteAsync(TransferName.Parse("a"), new WritePrecondition { MustExist = true }, default));
    }

    private static async Task<IEnumerable<string>> ListAsync(ServedBucket server, string folder)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, server.Files + folder);
        request.Headers.Add("Accept", "application/json");
        using HttpResponseMessage response = await server.Client.SendAsync(request);
        using JsonDocument page = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        return [.. page.RootElement.GetProperty("entries").EnumerateArray().Select(entry => entry.GetProperty("name").GetString()!)];
    }
}
