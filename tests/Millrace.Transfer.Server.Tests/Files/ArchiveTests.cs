using System.Formats.Tar;
using System.IO.Compression;

namespace Millrace.Transfer.Server.Tests.Files;

public sealed class ArchiveTests : ServerTest
{
    private static readonly Dictionary<string, byte[]> Tree = new(StringComparer.Ordinal)
    {
        ["a.txt"] = Content.Text(100_000),
        ["b.bin"] = Content.Of(70_001),
        ["empty"] = [],
        ["sub/größe 日本.txt"] = Content.Text(10),
        [$"sub/{new string('x', 200)}/deep.bin"] = Content.Of(513),
    };

    [Fact]
    public async Task Folder_is_sent_as_a_zip_file()
    {
        await WriteTreeAsync();
        using HttpResponseMessage response = await GetAsync("files/f/?archive=zip");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("application/zip", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal("attachment", response.Content.Headers.ContentDisposition?.DispositionType);
        Assert.Equal("f.zip", response.Content.Headers.ContentDisposition?.FileNameStar);
        using var archive = new ZipArchive(new MemoryStream(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal(Tree.Keys.Order(StringComparer.Ordinal), archive.Entries.Select(static e => e.FullName).Order(StringComparer.Ordinal));
        foreach (ZipArchiveEntry entry in archive.Entries)
        {
            using var content = new MemoryStream();
            await using Stream stream = await entry.OpenAsync();
            await stream.CopyToAsync(content);
            Assert.Equal(Tree[entry.FullName], content.ToArray());
        }
    }

    [Fact]
    public async Task Folder_is_sent_as_a_tar_file()
    {
        await WriteTreeAsync();
        using HttpResponseMessage response = await GetAsync("files/f/?archive=tar");
        Assert.Equal("application/x-tar", response.Content.Headers.ContentType?.MediaType);
        await using var archive = new TarReader(await response.Content.ReadAsStreamAsync());
        var found = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        while (await archive.GetNextEntryAsync(copyData: true) is { } entry)
        {
            using var content = new MemoryStream();
            if (entry.DataStream is { } data)
            {
                await data.CopyToAsync(content);
            }

            found.Add(entry.Name, content.ToArray());
        }

        Assert.Equal(Tree.OrderBy(static f => f.Key, StringComparer.Ordinal), found.OrderBy(static f => f.Key, StringComparer.Ordinal));
    }

    [Fact]
    public async Task Archive_spans_several_listing_pages()
    {
        const int files = ListFilesOptions.DefaultPageSize + 5;
        for (int i = 0; i < files; i++)
        {
            await Server.WriteAsync($"many/{i}", new byte[] { (byte)i });
        }

        using HttpResponseMessage response = await GetAsync("files/?archive=zip");
        Assert.Equal("files.zip", response.Content.Headers.ContentDisposition?.FileNameStar);
        using var archive = new ZipArchive(new MemoryStream(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal(files, archive.Entries.Count);
    }

    [Fact]
    public Task Missing_folder_has_no_archive() =>
        GetAsync("files/none/?archive=tar").AnswersAsync(HttpStatusCode.NotFound);

    [Fact]
    public async Task HEAD_of_an_archive_makes_none()
    {
        await WriteTreeAsync();
        using HttpResponseMessage response = await SendAsync(HttpMethod.Head, "files/f/?archive=zip");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("application/zip", response.Content.Headers.ContentType?.MediaType);
    }

    [Fact]
    public async Task Archives_can_be_disabled()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            new RunningServerOptions { Server = new TransferServerOptions { Archives = false } });
        await server.Client.GetAsync(server.Url("files/?archive=zip")).AnswersAsync(HttpStatusCode.NotFound);
        using var request = new HttpRequestMessage(HttpMethod.Get, server.Url("files/"));
        request.Headers.Accept.ParseAdd("text/html");
        using HttpResponseMessage page = await server.Client.SendAsync(request);
        Assert.DoesNotContain("archive=", await page.Content.ReadAsStringAsync());
    }

    private async Task WriteTreeAsync()
    {
        foreach ((string name, byte[] content) in Tree)
        {
            await Server.WriteAsync($"f/{name}", content);
        }

        await Server.WriteAsync("outside", Content.Of(1));
    }
}
