using System.Buffers.Binary;
using System.Formats.Tar;
using System.IO.Compression;
using System.IO.Hashing;
using Microsoft.AspNetCore.Http;
using Microsoft.Win32.SafeHandles;

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
        Dictionary<string, byte[]> found = await ReadAsync("tar", await response.Content.ReadAsByteArrayAsync());
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
            [(TransferName.Parse("a"), false), (TransferName.Parse("b"), true)], await FolderArchive.ReadChosenAsync(context, AllowedNames.Native, folder));
        context.Request.Body = new MemoryStream(Encoding.ASCII.GetBytes($"only={new string('x', 100)}"));
        await Assert.ThrowsAsync<TransferException>(async () => await FolderArchive.ReadChosenAsync(context, AllowedNames.Native, folder));
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

        byte[] piece = new byte[bytes / 20];
        Assert.True(await connection.SendAsync(piece));
        Assert.StartsWith("HTTP/1.1 413", await connection.ReadHeadAsync(), StringComparison.Ordinal);

        // A client that has not read the answer yet goes on sending.
        for (int sent = piece.Length; sent < bytes; sent += piece.Length)
        {
            Assert.True(await connection.SendAsync(piece));
        }
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

    [Fact]
    public async Task Archive_names_what_cannot_be_opened_and_ends_whole()
    {
        await WriteTreeAsync();
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        await using RunningServer server = await ServeAsync(store);
        foreach (string kind in (string[])["zip", "tar"])
        {
            opened.Refused["f/b.bin"] = TransferError.Forbidden;
            opened.Refused["f/empty"] = TransferError.NotFound;
            byte[] whole = await server.Client.GetByteArrayAsync(server.Url($"files/f/?archive={kind}"));
            using var form = new FormUrlEncodedContent([KeyValuePair.Create("only", "a.txt"), KeyValuePair.Create("only", "b.bin")]);
            using HttpResponseMessage some = await server.Client.PostAsync(server.Url($"files/f/?archive={kind}"), form);
            foreach (byte[] archive in (byte[][])[whole, await some.Content.ReadAsByteArrayAsync()])
            {
                Dictionary<string, byte[]> found = await ReadAsync(kind, archive);
                Assert.Equal("1 entry could not be opened:\nb.bin\n", Encoding.UTF8.GetString(found["millrace-omitted.txt"]));
                Assert.Equal(Tree["a.txt"], found["a.txt"]);
                Assert.False(found.ContainsKey("b.bin"));
                Assert.False(found.ContainsKey("empty"));
            }

            // Of a store that does not answer, everything would be missing.
            opened.Refused["f/b.bin"] = TransferError.Unavailable;
            await Assert.ThrowsAnyAsync<HttpRequestException>(() => server.Client.GetByteArrayAsync(server.Url($"files/f/?archive={kind}")));
        }
    }

    [NeedsTheory(Need.Links), InlineData("zip"), InlineData("tar")]
    [NeedsLocalFolder]
    public async Task Chosen_links_that_lead_out_are_named_in_the_archive(string kind)
    {
        await WriteTreeAsync();
        File.CreateSymbolicLink(Path.Combine(Server.Root, "f", "file"), "../../outside");
        Directory.CreateSymbolicLink(Path.Combine(Server.Root, "f", "folder"), "../..");
        using HttpResponseMessage response = await ChooseAsync($"files/f/?archive={kind}", "file", "folder/", "b.bin");
        Dictionary<string, byte[]> found = await ReadAsync(kind, await response.Content.ReadAsByteArrayAsync());
        Assert.Equal(["b.bin", "millrace-omitted.txt"], found.Keys.Order(StringComparer.Ordinal));
        Assert.Equal("2 entries could not be opened:\nfile\nfolder/\n", Encoding.UTF8.GetString(found["millrace-omitted.txt"]));
    }

    [Fact]
    public void Few_names_of_what_cannot_be_opened_are_kept()
    {
        var missing = new MissingEntries();
        Assert.Null(missing.Text);
        missing.AddUnopened("1\n2");
        Assert.Equal("1 entry could not be opened:\n1\uFFFD2\n", missing.Text);
        for (int i = 0; i < 10_000; i++)
        {
            missing.AddUnopened($"{i:0000}.{new string('x', 11)}");
        }

        Assert.InRange(missing.Text!.Length, 60_000, 70_000);
        Assert.StartsWith("10001 entries could not be opened:\n1\uFFFD2\n0000.xxxxxxxxxxx\n0001.", missing.Text, StringComparison.Ordinal);
        Assert.EndsWith("\nand 6146 more\n", missing.Text, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Unix), InlineData("zip"), InlineData("tar")]
    [NeedsLocalFolder]
    public async Task Archive_of_a_file_that_is_cut_while_it_is_sent_has_no_end(string kind)
    {
        // More than the connection holds.
        await Server.WriteAsync("f/1", Content.Of(40_000_000));
        using HttpResponseMessage response = await Client.GetAsync(
            Server.Url($"files/f/?archive={kind}"), HttpCompletionOption.ResponseHeadersRead);
        Cut("f/1");
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await using Stream body = await response.Content.ReadAsStreamAsync();
            await body.CopyToAsync(Stream.Null);
        });
    }

    [NeedsTheory(Need.Unix), InlineData("zip", 60_000), InlineData("zip", 70_000), InlineData("tar", 60_000)]
    [NeedsLocalFolder]
    public async Task Archive_of_a_file_that_is_cut_when_it_is_opened_has_no_end(string kind, int bytes)
    {
        await Server.WriteAsync("f/1", Content.Of(bytes));
        await Server.WriteAsync("f/2", Content.Of(bytes));
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        opened.Opened = name => Cut(name == "f/2" ? name : null);
        await using RunningServer server = await ServeAsync(store);
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => server.Client.GetByteArrayAsync(server.Url($"files/f/?archive={kind}")));
    }

    [Fact]
    public async Task Header_of_a_short_file_has_its_checksum_and_sizes()
    {
        await Server.WriteAsync("1.txt", Content.Text(65_536));
        await Server.WriteAsync("2.bin", Content.Of(65_536));
        await Server.WriteAsync("3.txt", new byte[] { 1 });
        byte[] archive = await Client.GetByteArrayAsync(Server.Url("files/?archive=zip"));
        (int compressed, int coded) = AssertHeader(archive, 0, method: 8, "1.txt", Content.Text(65_536));
        Assert.InRange(coded, 1, 65_535);
        (int stored, _) = AssertHeader(archive, compressed, method: 0, "2.bin", Content.Of(65_536));

        // Compressed, it would be longer.
        AssertHeader(archive, stored, method: 0, "3.txt", [1]);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Header_of_an_uploaded_file_has_its_checksum_and_sizes()
    {
        byte[] content = Content.Of(3_000_000);
        await SendAsync(HttpMethod.Put, "files/b.bin", new ByteArrayContent(content)).AnswersAsync(HttpStatusCode.Created);
        AssertHeader(await Client.GetByteArrayAsync(Server.Url("files/?archive=zip")), 0, method: 0, "b.bin", content);
    }

    [Fact]
    public async Task Header_of_a_file_with_an_unknown_checksum_has_its_sizes()
    {
        const int bytes = 200_000;
        await Server.WriteAsync("b.bin", Content.Of(bytes));
        byte[] archive = await Client.GetByteArrayAsync(Server.Url("files/?archive=zip"));
        Assert.Equal(8, archive[6] & 8);
        Assert.Equal(8, archive[8]);
        Assert.Equal([0, bytes + (4 * 5), bytes], (int[])[Number(archive, 14), Number(archive, 18), Number(archive, 22)]);
        int descriptor = 30 + "b.bin".Length + bytes + (4 * 5);
        Assert.Equal(
            [0x08074b50, (int)Crc32.HashToUInt32(Content.Of(bytes)), bytes + (4 * 5), bytes],
            (int[])[Number(archive, descriptor), Number(archive, descriptor + 4), Number(archive, descriptor + 8), Number(archive, descriptor + 12)]);
        using HttpResponseMessage response = await GetAsync("files/?archive=zip");
        Assert.Single((await ReadAsync("zip", await response.Content.ReadAsByteArrayAsync())), static entry => entry.Value.Length == bytes);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Archive_of_bytes_that_do_not_have_the_kept_checksum_has_no_end()
    {
        await SendAsync(HttpMethod.Put, "files/b.bin", new ByteArrayContent(Content.Of(100_000))).AnswersAsync(HttpStatusCode.Created);
        LocalStore store = ((LocalFileStore)Server.Store).Core;
        TransferName name = TransferName.Parse("b.bin");
        using (SafeFileHandle file = File.OpenHandle(Server.PathOf("b.bin")))
        {
            FileFacts facts = store.Tree.Look(file);
            FileDigest digest = store.Digests.TryRead(name, facts)!.Value;
            store.Digests.Write(name, facts, digest with { Crc32 = digest.Crc32 + 1 });
        }

        await Assert.ThrowsAnyAsync<HttpRequestException>(() => Client.GetByteArrayAsync(Server.Url("files/?archive=zip")));
        using HttpResponseMessage plain = await GetAsync("files/b.bin");
        Assert.Equal(Content.Of(100_000), await plain.Content.ReadAsByteArrayAsync());
    }

    [NeedsTheory(Need.Unpackers)]
    [InlineData("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; z.extractall('out')\"")]
    [InlineData("cat a.zip | bsdtar -x -f - -C out")]
    [InlineData("unzip -q a.zip -d out")]
    [InlineData("busybox unzip -q a.zip -d out")]
    [InlineData("7zz x -bd -oout a.zip")]
    [InlineData("cat a.zip | java \"$unpack\" out")]
    public async Task Zip_file_is_read_by_others(string command)
    {
        await WriteTreeAsync();
        await AssertUnpackedAsync(command, await Client.GetByteArrayAsync(Server.Url("files/f/?archive=zip")), Tree.Keys);
    }

    [NeedsTheory(Need.Unpackers)]
    [InlineData("cat a.zip | busybox unzip -q - -d out")]
    [InlineData("cat a.zip | bsdtar -x -f - -C out")]
    [InlineData("cat a.zip | java \"$unpack\" out")]
    [InlineData("unzip -q a.zip -d out")]
    [InlineData("7zz x -bd -oout a.zip")]
    [NeedsLocalFolder]
    public async Task Zip_file_of_files_with_known_checksums_is_read_by_others(string command)
    {
        // Longer text is compressed while it is sent.
        string[] names = [.. Tree.Keys.Where(static name => name != "a.txt")];
        foreach (string name in names)
        {
            await SendAsync(HttpMethod.Put, $"files/f/{Uri.EscapeDataString(name).Replace("%2F", "/", StringComparison.Ordinal)}", new ByteArrayContent(Tree[name]))
                .AnswersAsync(HttpStatusCode.Created);
        }

        await AssertUnpackedAsync(command, await Client.GetByteArrayAsync(Server.Url("files/f/?archive=zip")), names);
    }

    [Trait("Tier", "All")]
    [NeedsFact(Need.Unpackers)]
    [NeedsLocalFolder]
    public async Task More_files_than_16_bits_count_are_read_by_others()
    {
        const int files = ushort.MaxValue + 500;
        Directory.CreateDirectory(Path.Combine(Server.Root, "many"));
        for (int i = 0; i < files; i++)
        {
            File.WriteAllText(Path.Combine(Server.Root, "many", $"{i}"), "1");
        }

        using var here = new TemporaryFolder();
        await File.WriteAllBytesAsync(here["a.zip"], await Client.GetByteArrayAsync(Server.Url("files/many/?archive=zip")));
        await AssertOutputsAsync(
            here.Path,
            ($"/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; print(len(z.namelist()))\"", $"{files}"),
            ("unzip -tq a.zip", "No errors detected in compressed data of a.zip."),
            ("7zz t -bd a.zip | grep Files:", $"Files: {files}"),
            ("cat a.zip | bsdtar -t -f - | wc -l", $"{files}"),
            ("cat a.zip | busybox unzip -p - | wc -c", $"{files}"),
            ("cat a.zip | java \"$unpack\"", $"{files} entries, {files} bytes"));
    }

    [Trait("Tier", "Soak")]
    [NeedsTheory(Need.Unpackers | Need.Curl), InlineData(true), InlineData(false)]
    [NeedsLocalFolder]
    public async Task Entries_above_and_behind_4_GiB_are_read_by_others(bool isKnown)
    {
        const long bytes = (4L << 30) + 4097;
        using (FileStream file = File.Create(Path.Combine(Server.Root, "large.bin")))
        {
            file.SetLength(bytes);
            file.Position = bytes - 5;
            file.Write("hello"u8);
        }

        await Server.WriteAsync("text.txt", Content.Text(100));
        await Server.WriteAsync("text2.txt", Content.Text(100_000));
        if (isKnown)
        {
            using HttpResponseMessage digest = await SendAsync(HttpMethod.Head, "files/large.bin", null, ("Want-Repr-Digest", "sha-256=10"));
            Assert.True(digest.Headers.Contains("Repr-Digest"));
        }

        // Zeros are not written.
        using var here = new TemporaryFolder();
        string get = $"curl -sf '{Server.Url("files/?archive=zip")}'";
        (await ForeignProgram.RunAsync(here.Path, "sh", "-c", $"{get} | dd of=a.zip bs=4096 conv=sparse iflag=fullblock status=none")).Succeeded();
        byte[] header = new byte[10];
        await using (FileStream archive = File.OpenRead(here["a.zip"]))
        {
            await archive.ReadExactlyAsync(header);
        }

        Assert.Equal((45, isKnown ? 0 : 8, isKnown ? 0 : 8), (header[4], header[6] & 8, header[8]));
        await AssertOutputsAsync(
            here.Path,
            ("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; print(len(z.namelist()))\"", "3"),
            ("unzip -tq a.zip", "No errors detected in compressed data of a.zip."),
            ("7zz t -bd a.zip | grep Files:", "Files: 3"),
            ("cat a.zip | bsdtar -x -O -f - | wc -c", $"{bytes + 100_100}"),
            ("cat a.zip | java \"$unpack\"", $"3 entries, {bytes + 100_100} bytes"));
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
        Assert.Equal(5L << 30, BitConverter.ToInt64(header, 43));
    }

    [Fact]
    public void Directory_of_a_zip_file_keeps_few_bytes_for_each_file()
    {
        const int files = 200_000;
        var directory = new ZipDirectory();
        for (int i = 0; i < files; i++)
        {
            directory.Add(new ZipEntry(
                Encoding.UTF8.GetBytes($"photos/2026/may/IMG_{i:00000000}.jpeg"), 0x5A21_0000, ZipEntry.Deflate, HasDescriptor: true,
                (uint)i * 2_654_435_761, i * 7, i * 9, i * 5_000L));
        }

        Assert.InRange(directory.MemoryBytes, 1, files * 40L);
        Assert.Equal(files * (46L + 33), directory.Read().Sum(static records => (long)records.Length));
    }

    /// <summary>Asserts that a zip file has these files of the tree, with their content, and no others.</summary>
    private static async Task AssertZipAsync(HttpResponseMessage response, IEnumerable<string> names)
    {
        Dictionary<string, byte[]> found = await ReadAsync("zip", await response.Content.ReadAsByteArrayAsync());
        Assert.Equal(names.Order(StringComparer.Ordinal), found.Keys.Order(StringComparer.Ordinal));
        Assert.All(found, static file => Assert.Equal(Tree[file.Key], file.Value));
    }

    private static async Task<Dictionary<string, byte[]>> ReadAsync(string kind, byte[] archive)
    {
        var found = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        using var bytes = new MemoryStream(archive);
        if (kind == "zip")
        {
            using var zip = new ZipArchive(bytes);
            foreach (ZipArchiveEntry entry in zip.Entries)
            {
                found.Add(entry.FullName, await ReadAsync(await entry.OpenAsync()));
            }
        }
        else
        {
            await using var tar = new TarReader(bytes);
            while (await tar.GetNextEntryAsync(copyData: true) is { } entry)
            {
                found.Add(entry.Name, await ReadAsync(entry.DataStream ?? Stream.Null));
            }
        }

        return found;
    }

    private static async Task<byte[]> ReadAsync(Stream stream)
    {
        await using (stream)
        {
            using var content = new MemoryStream();
            await stream.CopyToAsync(content);
            return content.ToArray();
        }
    }

    /// <summary>Asserts that a file's header has everything that is known of it, and that nothing follows the bytes.</summary>
    /// <returns>Where the next header is, and the bytes of the file as they are in the archive.</returns>
    private static (int End, int Coded) AssertHeader(byte[] archive, int at, int method, string name, byte[] content)
    {
        int coded = Number(archive, at + 18);
        Assert.Equal((0x04034b50, 0, method, 0), (Number(archive, at), archive[at + 6] & 8, archive[at + 8], archive[at + 28]));
        Assert.Equal((Crc32.HashToUInt32(content), content.Length), ((uint)Number(archive, at + 14), Number(archive, at + 22)));
        int start = at + 30 + name.Length;
        Assert.Equal(name, Encoding.UTF8.GetString(archive, at + 30, name.Length));
        using var bytes = new MemoryStream(archive, start, coded);
        using Stream decoded = method == 0 ? bytes : new DeflateStream(bytes, CompressionMode.Decompress);
        using var found = new MemoryStream();
        decoded.CopyTo(found);
        Assert.Equal(content, found.ToArray());
        Assert.Contains(Number(archive, start + coded), (int[])[0x04034b50, 0x02014b50]);
        return (start + coded, coded);
    }

    private static int Number(byte[] archive, int at) => BinaryPrimitives.ReadInt32LittleEndian(archive.AsSpan(at));

    private static async Task AssertUnpackedAsync(string command, byte[] archive, IEnumerable<string> names)
    {
        using var here = new TemporaryFolder();
        Directory.CreateDirectory(here["out"]);
        await File.WriteAllBytesAsync(here["a.zip"], archive);
        (await RunAsync(here.Path, command)).Succeeded();
        Assert.All(names, name => Assert.Equal(Tree[name], File.ReadAllBytes(here[$"out/{name}"])));
    }

    private static async Task AssertOutputsAsync(string folder, params (string Command, string Output)[] expected)
    {
        foreach ((string command, string output) in expected)
        {
            Assert.Equal((command, output), (command, (await RunAsync(folder, command)).Succeeded().Output.Trim()));
        }
    }

    private static Task<ForeignProgram.Result> RunAsync(string folder, string command) => ForeignProgram.RunAsync(
        folder, "sh", "-c", $"export LC_ALL=C.UTF-8 unpack='{Path.Combine(Repository.Root, "tests", "interop", "zip", "Unpack.java")}'; {command}");

    private static Task<RunningServer> ServeAsync(IFileStore store) => RunningServer.StartAsync(new RunningServerOptions
    {
        Map = (application, _, options) => application.MapMillraceFiles(options.FilesPath, store, options),
    });

    /// <summary>Takes the last byte from a file.</summary>
    private void Cut(string? name)
    {
        if (name is not null)
        {
            using FileStream file = File.OpenWrite(Server.PathOf(name));
            file.SetLength(file.Length - 1);
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
