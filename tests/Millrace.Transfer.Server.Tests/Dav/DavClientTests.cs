namespace Millrace.Transfer.Server.Tests.Dav;

/// <summary>Programs of others that speak WebDAV.</summary>
[Trait("Tier", "All")]
public sealed class DavClientTests : ClientTest
{
    /// <summary>http://www.webdav.org/neon/litmus/: it tests the promises of RFC 4918.</summary>
    [NeedsTheory(Need.DavClients), NeedsLocalFolder]
    [InlineData("basic", 16)]
    [InlineData("copymove", 13)]
    [InlineData("props", 30)]
    [InlineData("locks", 41)]
    [InlineData("http", 4)]
    public async Task Litmus_passes(string suite, int count)
    {
        ForeignProgram.Result run = await ForeignProgram.RunAsync(Here, "bash", "-c", $"TESTS={suite} litmus {Url("files/")}");
        Assert.True(run.ExitCode == 0, run.Output);
        Assert.Contains($"of {count} tests run: {count} passed, 0 failed", run.Output);
    }

    [NeedsFact(Need.DavClients), NeedsLocalFolder]
    public async Task Rclone_copies_syncs_and_checks_both_ways_with_dates()
    {
        foreach (string name in (string[])["a.bin", "sub/b c.txt", "sub/größe/d.bin", "sub/e&f'g#h.bin", "sub/ü?.txt"])
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Mine($"from/{name}"))!);
            await File.WriteAllBytesAsync(Mine($"from/{name}"), Content.Of(5000 + name.Length));
            File.SetLastWriteTimeUtc(Mine($"from/{name}"), new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        }

        string remote = $":webdav,url='{Url("files/f/")}',vendor=nextcloud:";
        (await RcloneAsync("sync", "from", remote)).Succeeded();
        Assert.Equal(new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc), File.GetLastWriteTimeUtc(Server.PathOf("f/a.bin")));
        ForeignProgram.Result again = (await RcloneAsync("sync", "-v", "from", remote)).Succeeded();
        Assert.Contains("There was nothing to transfer", again.Errors);
        (await RcloneAsync("check", "from", remote)).Succeeded();
        (await RcloneAsync("check", "--download", "from", remote)).Succeeded();
        (await RcloneAsync("moveto", $"{remote}a.bin", $"{remote}sub/moved.bin")).Succeeded();
        (await RcloneAsync("copyto", $"{remote}sub/moved.bin", $"{remote}a.bin")).Succeeded();
        (await RcloneAsync("deletefile", $"{remote}sub/moved.bin")).Succeeded();
        (await RcloneAsync("check", "--download", "from", remote)).Succeeded();
        (await RcloneAsync("copy", remote, "back")).Succeeded();
        AssertSame(Mine("from/sub/größe/d.bin"), Mine("back/sub/größe/d.bin"));
        (await RcloneAsync("purge", $"{remote}sub")).Succeeded();
        Assert.Equal(["f/a.bin"], Server.VisibleFiles());
    }

    [NeedsFact(Need.DavClients), NeedsLocalFolder]
    public async Task Rclone_keeps_two_folders_alike_that_both_change()
    {
        Directory.CreateDirectory(Mine("one"));
        foreach (string name in (string[])["changed", "deleted here", "deleted there", "kept 1", "kept 2"])
        {
            await File.WriteAllTextAsync(Mine($"one/{name}"), name);
        }

        string remote = $":webdav,url='{Url("files/")}',vendor=nextcloud:two";
        (await RcloneAsync("mkdir", remote)).Succeeded();
        (await RcloneAsync("bisync", "one", remote, "--workdir", "state", "--resync")).Succeeded();
        await File.WriteAllTextAsync(Mine("one/changed"), "longer than before");
        File.Delete(Mine("one/deleted here"));
        File.Delete(Server.PathOf("two/deleted there"));
        await File.WriteAllTextAsync(Server.PathOf("two/new there"), "new");
        (await RcloneAsync("bisync", "one", remote, "--workdir", "state")).Succeeded();
        (await RcloneAsync("check", "--download", "one", remote)).Succeeded();
        Assert.Equal(["two/changed", "two/kept 1", "two/kept 2", "two/new there"], Server.VisibleFiles());
    }

    [NeedsFact(Need.DavClients), NeedsLocalFolder]
    public async Task Rclone_finds_names_to_be_as_long_as_the_disk_has_them()
    {
        ForeignProgram.Result run = await RcloneAsync("test", "info", "--check-length", "--check-normalization", $":webdav,url='{Url("files/")}',vendor=nextcloud:info");
        run.Succeeded();
        Assert.Contains("maxFileLength = 255 // for 1 byte", run.Output);
        Assert.Contains("maxFileLength = 63 // for 4 byte", run.Output);
        Assert.Contains("canWriteUnnormalized = true", run.Output);
        Assert.Contains("canReadUnnormalized   = true", run.Output);
    }

    [NeedsFact(Need.DavClients), NeedsLocalFolder]
    public async Task Cadaver_puts_locks_copies_moves_and_deletes()
    {
        await File.WriteAllBytesAsync(Mine("a.bin"), Content.Of(100_000));
        await File.WriteAllTextAsync(
            Mine("commands"),
            "mkcol f\nput a.bin f/a.bin\nlock f/a.bin\nput a.bin f/a.bin\nunlock f/a.bin\ncopy f/a.bin f/b.bin\npropset f/a.bin colour blue\npropget f/a.bin colour\nmove f/b.bin f/c.bin\nget f/c.bin back.bin\ndelete f/c.bin\nls f\nquit\n");
        ForeignProgram.Result run = await ForeignProgram.RunAsync(Here, "bash", "-c", $"HOME=$PWD cadaver {Url("files/")} < commands");
        Assert.DoesNotContain("failed", run.Output);
        AssertSame(Mine("a.bin"), Mine("back.bin"));
        Assert.Contains("blue", run.Output);
        Assert.Equal(["f/a.bin"], Server.VisibleFiles());
    }

    /// <summary>davfs2 1.6 asks the kernel for reads of 16 KiB, with which it cannot list a folder under Linux 6.12 and later.</summary>
    private const string MountOptions = "ask_auth 0\ndelay_upload 0\nbuf_size 64\n";

    [NeedsFact(Need.DavMount), NeedsLocalFolder]
    public async Task Mounted_tree_is_copied_changed_and_removed()
    {
        string drive = Mine("drive");
        Directory.CreateDirectory(drive);
        await File.WriteAllTextAsync(Mine("davfs2.conf"), MountOptions);
        const string Work =
            """
            set -e
            mount -t davfs -o conf=$PWD/davfs2.conf $URL drive </dev/null
            trap 'mountpoint -q drive && umount drive >/dev/null' EXIT
            for d in 1 2 3 4; do mkdir -p "tree/d $d"; for f in $(seq 50); do head -c $((f * 97)) /dev/urandom >"tree/d $d/ü $f"; done; done
            cp -r tree drive/
            umount drive >/dev/null
            mount -t davfs -o conf=$PWD/davfs2.conf $URL drive </dev/null
            cp -r drive/tree back
            diff -r tree back
            mv 'drive/tree/d 1' drive/moved
            mv 'drive/moved/ü 1' drive/moved/renamed
            printf 'one\n' >drive/text
            printf 'two\n' >drive/.text.swp
            mv drive/text 'drive/text~'
            printf 'two\n' >drive/text
            rm 'drive/text~' drive/.text.swp
            rm -r drive/tree
            umount drive >/dev/null
            """;
        (await ForeignProgram.RunAsync(Here, "bash", "-c", $"URL={Url("files/")}\n{Work}")).Succeeded();
        Assert.Equal("two\n", await File.ReadAllTextAsync(Server.PathOf("text")));
        string[] moved = [.. Directory.GetFiles(Server.PathOf("moved")).Select(static path => Path.GetFileName(path)!)];
        Assert.Equal(50, moved.Length);
        AssertSame(Mine("tree/d 1/ü 1"), Server.PathOf("moved/renamed"));
        Assert.Equal(51, Server.VisibleFiles().Count);
    }

    private Task<ForeignProgram.Result> RcloneAsync(params string[] arguments) =>
        ForeignProgram.RunAsync(Here, "rclone", ["--config", "/dev/null", .. arguments]);
}
