using System.Formats.Tar;
using System.IO.Compression;
using Microsoft.AspNetCore.Http;

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
        await AssertZipAsync(response, Tree.Keys);
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
    public async Task Chosen_files_and_folders_are_sent_as_one_zip_file()
    {
        await WriteTreeAsync();
        using HttpResponseMessage response = await ChooseAsync("files/f/?archive=zip", "b.bin", "sub/", "a.txt", "a.txt", "deleted", "gone/");
        Assert.Equal("f.zip", response.Content.Headers.ContentDisposition?.FileNameStar);
        await AssertZipAsync(response, Tree.Keys.Where(static name => name != "empty"));
    }

    [Fact]
    public async Task More_names_than_a_URL_can_have_are_chosen()
    {
        string[] names = [.. Enumerable.Range(0, 500).Select(static i => $"photo of the 1st of May, number {i}.jpeg")];
        foreach (string name in names)
        {
            await Server.WriteAsync(name, new byte[] { 1 });
        }

        await Server.WriteAsync("other", Content.Of(1));
        using HttpResponseMessage response = await ChooseAsync("files/?archive=zip", names);
        using var archive = new ZipArchive(new MemoryStream(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal(names, archive.Entries.Select(static e => e.FullName));
    }

    [Theory]
    [InlineData("../outside")]
    [InlineData("..")]
    [InlineData("../")]
    [InlineData("sub/deep.bin")]
    [InlineData("/etc/passwd")]
    [InlineData("/")]
    [InlineData("")]
    [InlineData(".millrace")]
    [InlineData(".millrace/")]
    [InlineData("a\0")]
    public async Task Only_names_in_the_folder_can_be_chosen(string name)
    {
        await WriteTreeAsync();
        await ChooseAsync("files/f/?archive=zip", "a.txt", name).AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Theory]
    [InlineData("%C3%28")]
    [InlineData("%")]
    [InlineData("%C0%AE%C0%AE%2F")]
    [InlineData("%EF%BF")]
    public async Task Chosen_names_are_decoded_strictly(string encoded)
    {
        await WriteTreeAsync();
        using var form = new StringContent($"only=a.txt&only={encoded}", Encoding.ASCII, "application/x-www-form-urlencoded");
        await Client.PostAsync(Server.Url("files/f/?archive=zip"), form).AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Fact]
    public async Task Names_of_a_form_are_kept_without_their_folder()
    {
        var folder = TransferName.Parse(string.Join('/', Enumerable.Repeat(new string('d', 200), 5)));
        var context = new DefaultHttpContext
        {
            Request =
            {
                ContentType = "application/x-www-form-urlencoded",
                Body = new MemoryStream(Encoding.ASCII.GetBytes("only=a&only=b%2F&only=a")),
            },
        };

        Assert.Equal(
            [(TransferName.Parse("a"), false), (TransferName.Parse("b"), true)], await FolderArchive.ReadChosenAsync(context, folder));
        context.Request.Body = new MemoryStream(Encoding.ASCII.GetBytes($"only={new string('x', 100)}"));
        await Assert.ThrowsAsync<TransferException>(async () => await FolderArchive.ReadChosenAsync(context, folder));
    }

    [Fact]
    public async Task Something_must_be_chosen_in_a_form_that_is_not_too_long()
    {
        await WriteTreeAsync();
        await ChooseAsync("files/f/?archive=zip").AnswersAsync(HttpStatusCode.BadRequest);
        await ChooseAsync("files/f/?archive=rar", "a.txt").AnswersAsync(HttpStatusCode.BadRequest);
        await ChooseAsync("files/none/?archive=zip", "a.txt").AnswersAsync(HttpStatusCode.NotFound);
        await ChooseAsync("files/none/?archive=zip").AnswersAsync(HttpStatusCode.NotFound);
        await ChooseAsync("files/f/", "a.txt").AnswersAsync(HttpStatusCode.MethodNotAllowed);
        await ChooseAsync("files/f/?archive=zip", [.. Enumerable.Repeat(new string('x', 1000), 1100)])
            .AnswersAsync(HttpStatusCode.RequestEntityTooLarge);
        using var json = new StringContent("{}", Encoding.UTF8, "application/json");
        await Client.PostAsync(Server.Url("files/f/?archive=zip"), json).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
    }

    [Fact]
    public async Task Client_that_sends_a_form_that_is_too_long_gets_the_answer()
    {
        const int bytes = 2_000_000;
        await WriteTreeAsync();
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Address,
            "POST /files/f/?archive=zip HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + $"Content-Length: {bytes}\r\n\r\n");

        // The answer is on its way meanwhile.
        byte[] piece = new byte[bytes / 20];
        for (int sent = 0; sent < bytes; sent += piece.Length)
        {
            Assert.True(await connection.SendAsync(piece));
            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }

        Assert.StartsWith("HTTP/1.1 413", await connection.ReadHeadAsync(), StringComparison.Ordinal);
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

    [NeedsFact(Need.Unix), NeedsLocalFolder]
    public async Task Archive_of_a_folder_that_disappears_has_no_end()
    {
        // More than the connection holds, so that the second page is read after the folder is gone.
        await Server.WriteAsync("many/0", Content.Of(40_000_000));
        for (int i = 1; i < ListFilesOptions.DefaultPageSize + 5; i++)
        {
            await Server.WriteAsync($"many/{i}", new byte[] { (byte)i });
        }

        using HttpResponseMessage response = await Client.GetAsync(
            Server.Url("files/many/?archive=tar"), HttpCompletionOption.ResponseHeadersRead);
        Directory.Delete(Server.PathOf("many"), recursive: true);
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await using Stream body = await response.Content.ReadAsStreamAsync();
            await body.CopyToAsync(Stream.Null);
        });
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
        Assert.DoesNotContain("archive", await page.Content.ReadAsStringAsync());
    }

    [NeedsTheory(Need.Unpackers)]
    [InlineData("/usr/bin/python3", "-c", "import sys, zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; z.extractall('out')")]
    [InlineData("bsdtar", "-x", "-f", "-", "-C", "out")]
    [InlineData("unzip", "-q", "a.zip", "-d", "out")]
    [InlineData("busybox", "unzip", "-q", "a.zip", "-d", "out")]
    public async Task Zip_file_is_read_by_others(string program, params string[] arguments)
    {
        await WriteTreeAsync();
        using var here = new TemporaryFolder();
        Directory.CreateDirectory(here["out"]);
        await File.WriteAllBytesAsync(here["a.zip"], await Client.GetByteArrayAsync(Server.Url("files/f/?archive=zip")));
        string command = string.Join(' ', arguments.Prepend(program).Select(static word => $"\"{word}\""));
        (await ForeignProgram.RunAsync(here.Path, "sh", "-c", $"export LC_ALL=C.UTF-8; {command} < a.zip")).Succeeded();
        Assert.All(Tree, file => Assert.Equal(file.Value, File.ReadAllBytes(here[$"out/{file.Key}"])));
    }

    [NeedsFact(Need.Unix), NeedsLocalFolder]
    public async Task Entry_above_4_GiB_says_so_in_its_header()
    {
        using (FileStream file = File.Create(Path.Combine(Server.Root, "large.bin")))
        {
            file.SetLength(5L << 30);
        }

        using HttpResponseMessage response = await Client.GetAsync(Server.Url("files/?archive=zip"), HttpCompletionOption.ResponseHeadersRead);
        byte[] header = new byte[30 + "large.bin".Length + 20];
        await using Stream body = await response.Content.ReadAsStreamAsync();
        await body.ReadExactlyAsync(header);
        Assert.Equal((45, 8, 20), (header[4], header[8], header[28]));
        Assert.Equal([1, 0, 16, 0], header[39..43]);
    }

    [Fact]
    public void Directory_of_a_zip_file_keeps_few_bytes_for_each_file()
    {
        const int files = 200_000;
        var directory = new ZipDirectory();
        for (int i = 0; i < files; i++)
        {
            directory.Add(Encoding.UTF8.GetBytes($"photos/2026/may/IMG_{i:00000000}.jpeg"), 0x5A21_0000, (uint)i * 2_654_435_761, i * 7, i * 9, i * 5_000L);
        }

        Assert.InRange(directory.MemoryBytes, 1, files * 40L);
        Assert.Equal(files * (46L + 33), directory.Read().Sum(static records => (long)records.Length));
    }

    /// <summary>Asserts that a zip file has these files of the tree, with their content, and no others.</summary>
    private static async Task AssertZipAsync(HttpResponseMessage response, IEnumerable<string> names)
    {
        using var archive = new ZipArchive(new MemoryStream(await response.Content.ReadAsByteArrayAsync()));
        Assert.Equal(names.Order(StringComparer.Ordinal), archive.Entries.Select(static e => e.FullName).Order(StringComparer.Ordinal));
        foreach (ZipArchiveEntry entry in archive.Entries)
        {
            using var content = new MemoryStream();
            await using Stream stream = await entry.OpenAsync();
            await stream.CopyToAsync(content);
            Assert.Equal(Tree[entry.FullName], content.ToArray());
        }
    }

    private async Task<HttpResponseMessage> ChooseAsync(string path, params string[] names)
    {
        using var form = new FormUrlEncodedContent(names.Select(static name => KeyValuePair.Create("only", name)));
        return await Client.PostAsync(Server.Url(path), form);
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
