using System.Net.Http.Headers;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>Links to folders of a bucket, with several servers at once.</summary>
public sealed class FolderLinkTests : BucketTest
{
    private string[] Where => ["--folder", "s3://" + Bucket.Name, "--s3-endpoint", Bucket.Server.Address.AbsoluteUri, "--s3-path-style"];

    private async Task<string> MakeAsync(params string[] options)
    {
        string url = (await MillraceCommand.SucceedAsync(Folder.Path, ["link", "in/", .. Where, .. options])).Trim();
        return url[(url.IndexOf("mr-link=", StringComparison.Ordinal) + "mr-link=".Length)..];
    }

    private static async Task<HttpStatusCode> SendAsync(ServedBucket server, HttpMethod method, string name, string secret, int bytes = 0)
    {
        using var request = new HttpRequestMessage(method, new Uri("/files/" + name, UriKind.Relative));
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", secret);
        request.Headers.Add("Prefer", "redirect");
        request.Content = method == HttpMethod.Put ? new ByteArrayContent(new byte[bytes]) : null;
        using HttpResponseMessage response = await server.Client.SendAsync(request);
        return response.StatusCode;
    }

    private async Task<JsonElement> OnlyAsync() =>
        JsonDocument.Parse(await MillraceCommand.SucceedAsync(Folder.Path, ["link", "--list", "--json", .. Where])).RootElement;

    [NeedsFact(Need.Ceph)]
    public async Task Servers_together_never_exceed_the_limits()
    {
        await Bucket.PutAsync("in/a", new byte[1000]);
        await MillraceCommand.SucceedAsync(Folder.Path, ["token", "add", "me", .. Where]);
        string read = await MakeAsync("--max-uses", "7");
        await using ServedBucket one = await ServeAsync("--s3-tokens", "--s3-redirect");
        await using ServedBucket two = await ServeAsync("--s3-tokens");
        HttpStatusCode[] answers = await Task.WhenAll(
            Enumerable.Range(0, 24).Select(i => SendAsync(i % 2 == 0 ? one : two, HttpMethod.Get, "in/a", read)));
        Assert.Equal(7, answers.Count(static answer => answer == HttpStatusCode.OK));
        Assert.Equal(17, answers.Count(static answer => answer == HttpStatusCode.Forbidden));
        JsonElement link = await OnlyAsync();
        Assert.Equal((7, 7000), (link.GetProperty("uses").GetInt32(), link.GetProperty("bytes").GetInt32()));
        await MillraceCommand.SucceedAsync(Folder.Path, ["link", "--revoke", link.GetProperty("id").GetString()!, .. Where]);
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(one, HttpMethod.Head, "in/a", read));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(two, HttpMethod.Head, "in/a", read));

        string drop = await MakeAsync("--drop", "--max-bytes", "500");
        answers = await Task.WhenAll(
            Enumerable.Range(0, 16).Select(i => SendAsync(i % 2 == 0 ? one : two, HttpMethod.Put, $"in/new{i}", drop, 100)));
        Assert.Equal(5, answers.Count(static answer => answer == HttpStatusCode.Created));
        Assert.Equal(HttpStatusCode.Conflict, await SendAsync(one, HttpMethod.Put, "in/a", await MakeAsync("--drop"), 1));
        Assert.Equal(6, (await Bucket.VisibleAsync()).Count);
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(two, HttpMethod.Get, "in/a", drop));
    }
}
