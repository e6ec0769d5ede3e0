using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Entries that no listing has.</summary>
[NeedsLocalFolder]
public sealed class OmittedTests : ServerTest
{
    protected override RunningServerOptions Options => new() { Store = new LocalFileStoreOptions { Names = AllowedNames.Portable } };

    [NeedsTheory(Need.Unix)]
    [InlineData("01 - What is love?.mp3")]
    [InlineData("aux.txt")]
    [InlineData("ends with a dot.")]
    [InlineData("ends with a space ")]
    [InlineData("back\\slash")]
    [InlineData("a:b")]
    [InlineData("a\tb")]
    [InlineData("%2e%2e")]
    [InlineData(".millrace-mine")]
    [InlineData("MILLRA~1")]
    [InlineData("sub/deep/nul")]
    public async Task Folder_with_a_name_that_no_listing_has_is_not_deleted(string name)
    {
        await Server.WriteAsync("f/02.mp3", Content.Of(10));
        string path = Path.Combine(Server.Root, "f", name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, "1");
        await AssertKeptAsync(path);
        File.Delete(path);
        await SendAsync(HttpMethod.Delete, "files/f/", null, ("Depth", "infinity")).AnswersAsync(HttpStatusCode.NoContent);
    }

    [NeedsTheory(Need.Bash)]
    [InlineData("touch $'f/caf\\xe9'")]
    [InlineData("mkfifo f/pipe")]
    [InlineData("ln -s nothing f/link")]
    [InlineData("ln -s ../../outside f/link")]
    public async Task Folder_with_something_that_no_listing_has_is_not_deleted(string command)
    {
        await Server.WriteAsync("f/02.mp3", Content.Of(10));
        (await ForeignProgram.RunAsync(Server.Root, "bash", "-c", command)).Succeeded();
        await AssertKeptAsync(Server.PathOf("f/02.mp3"));

        // The framework cannot name all of them.
        (await ForeignProgram.RunAsync(Server.Root, "rm", "-r", "f")).Succeeded();
    }

    [NeedsFact(Need.Unix)]
    public async Task Names_that_are_too_long_together_are_counted_and_deleted_with_their_folder()
    {
        string deep = string.Join('/', Enumerable.Repeat(new string('d', 250), 4));
        await Server.WriteAsync($"f/{deep}/a", Content.Of(1));
        File.WriteAllText(Path.Combine(Server.Root, "f", deep, new string('n', 250)), "1");
        Assert.Equal(1, (await ListAsync("files/?recursive")).Omitted);
        using HttpResponseMessage deleted = await SendAsync(HttpMethod.Delete, "files/f/", null, ("Depth", "infinity"));
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("")]
    [InlineData("&recursive")]
    public async Task Pages_add_up_to_all_that_are_left_out(string query)
    {
        for (int i = 0; i < 10; i++)
        {
            await Server.WriteAsync($"f/{i}", Content.Of(1));
            File.WriteAllText(Path.Combine(Server.Root, "f", $"{i}?"), "1");
            File.WriteAllText(Path.Combine(Server.Root, "f", $"{i}:"), "1");
        }

        foreach (int limit in (int[])[1, 2, 3, 5, 10, 11])
        {
            (int omitted, int entries) = (0, 0);
            string after = "";
            do
            {
                ListingDocument page = await ListAsync($"files/f/?limit={limit}{query}{after}");
                omitted += page.Omitted ?? 0;
                entries += page.Entries.Count;
                after = page.Next is null ? "" : $"&after={page.Next}";
            }
            while (after.Length > 0);
            Assert.Equal((20, 10), (omitted, entries));
        }
    }

    [Fact]
    public async Task Nothing_is_said_where_nothing_is_left_out()
    {
        await Server.WriteAsync("f/a", Content.Of(1));
        using HttpResponseMessage put = await SendAsync(HttpMethod.Put, "files/b", new ByteArrayContent(Content.Of(10)));
        using HttpResponseMessage response = await GetAsync("files/?recursive", ("Accept", "application/json"));
        Assert.DoesNotContain("omitted", await response.Content.ReadAsStringAsync());
        using HttpResponseMessage page = await GetAsync("files/");
        Assert.DoesNotContain("left out", await page.Content.ReadAsStringAsync());
    }

    private async Task AssertKeptAsync(string path)
    {
        Assert.Equal(1, (await ListAsync("files/f/?recursive")).Omitted);
        using HttpResponseMessage archive = await GetAsync("files/f/?archive=tar");
        Assert.Contains("1 entry of this folder is left out", await archive.Content.ReadAsStringAsync());
        using HttpResponseMessage refused = await SendAsync(HttpMethod.Delete, "files/f/", null, ("Depth", "infinity"));
        Assert.Equal(HttpStatusCode.Conflict, refused.StatusCode);
        ErrorDocument problem = await ProblemOf(refused);
        Assert.Equal(1, problem.Omitted);
        Assert.Contains(": 1 of the entries", problem.Detail);
        Assert.True(File.Exists(path));
        Assert.True(File.Exists(Server.PathOf("f/02.mp3")));
        if (Path.GetDirectoryName(path) == Path.Combine(Server.Root, "f"))
        {
            Assert.Equal(1, (await ListAsync("files/f/")).Omitted);
            using HttpResponseMessage page = await GetAsync("files/f/");
            Assert.Contains("1 entry of this folder is left out", await page.Content.ReadAsStringAsync());
        }
    }

    private async Task<ListingDocument> ListAsync(string path)
    {
        using HttpResponseMessage response = await GetAsync(path, ("Accept", "application/json"));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return (await response.Content.ReadFromJsonAsync(TransferJson.Default.ListingDocument))!;
    }
}
