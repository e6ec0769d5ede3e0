namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>put, get, ls and rm with a server over a bucket.</summary>
public sealed class CommandTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Files_of_every_protocol_and_size_come_back_whole()
    {
        await using ServedBucket server = await ServeAsync();
        foreach (string via in (string[])["http1", "tus", "grpc", "grpc-web"])
        {
            // Nothing, a small object, and two parts and a rest.
            foreach (int length in (int[])[0, 4096, 17_000_001])
            {
                string name = $"{via}-{length}";
                string digest = Write(name, length, length);
                await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, name, $"{server.Files}in/{name}");
                await MillraceCommand.SucceedAsync(Folder.Path, "get", "--via", via, $"{server.Files}in/{name}", $"{name}.back");
                Assert.Equal(digest, DigestOf($"{name}.back"));
            }
        }

        Assert.Equal(12, (await Bucket.VisibleAsync()).Count);
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Folders_are_put_listed_and_removed()
    {
        Write("a/b/one", 10);
        Write("a/two", 20);
        await using ServedBucket server = await ServeAsync("--max-file", "1M");
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "a", server.Files);
        Assert.Equal(["a/b/one", "a/two"], await Bucket.VisibleAsync());

        string listed = await MillraceCommand.SucceedAsync(Folder.Path, "ls", "--json", server.Files + "a/");
        Assert.Contains("\"a/two\"", listed, StringComparison.Ordinal);
        await MillraceCommand.SucceedAsync(Folder.Path, "rm", server.Files + "a/two");
        Assert.Equal(["a/b/one"], await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task File_over_the_limit_is_refused()
    {
        Write("large", 2_000_000);
        await using ServedBucket server = await ServeAsync("--max-file", "1M");
        (int exitCode, _, string error) = await MillraceCommand.RunAsync(Folder.Path, null, "put", "large", server.Files + "large");
        Assert.NotEqual(0, exitCode);
        Assert.NotEmpty(error);
        Assert.Empty(await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Two_prefixes_of_a_bucket_do_not_see_each_other()
    {
        Write("x", 10);
        await using ServedBucket one = await ServedBucket.StartAsync(Folder.Path, Bucket.Name + "/one", Bucket.Server.Address);
        await using ServedBucket two = await ServedBucket.StartAsync(Folder.Path, Bucket.Name + "/two", Bucket.Server.Address);
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "x", one.Files + "x");
        Assert.Equal(["one/x"], await Bucket.VisibleAsync());
        Assert.Equal(HttpStatusCode.NotFound, (await two.Client.GetAsync(new Uri("/files/x", UriKind.Relative))).StatusCode);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Tokens_come_from_a_file_and_links_work()
    {
        Write("x", 10);
        string token = (await MillraceCommand.SucceedAsync(Folder.Path, "token", "add", "me", "--tokens", "tokens.json")).Trim();
        await using ServedBucket server = await ServeAsync("--tokens", "tokens.json");
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/files/x", UriKind.Relative)) { Content = new StringContent("x") };
        Assert.Equal(HttpStatusCode.Unauthorized, (await server.Client.GetAsync(new Uri("/files/x", UriKind.Relative))).StatusCode);
        request.Headers.Authorization = new("Bearer", token);
        Assert.Equal(HttpStatusCode.Created, (await server.Client.SendAsync(request)).StatusCode);

        string link = await MillraceCommand.SucceedAsync(
            Folder.Path, "link", "x", "--tokens", "tokens.json", "--url", server.Client.BaseAddress!.AbsoluteUri);
        Assert.Equal("x", await server.Client.GetStringAsync(new Uri(link.Trim())));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Tokens_beside_the_files_are_refused_with_the_remedy()
    {
        (int exitCode, _, string error) = await MillraceCommand.RunAsync(
            Folder.Path, null, "token", "list", "--folder", "s3://" + Bucket.Name);
        Assert.Equal(1, exitCode);
        Assert.Contains("--tokens FILE", error, StringComparison.Ordinal);
    }
}
