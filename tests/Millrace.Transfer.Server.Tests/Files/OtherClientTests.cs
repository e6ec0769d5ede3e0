namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>wget, aria2 and rclone.</summary>
public sealed class OtherClientTests : ClientTest
{
    [NeedsTheory(Need.Wget), MemberData(nameof(Sizes))]
    public async Task Wget_downloads_a_file(int length)
    {
        string served = await ServeAsync("a.bin", length);
        (await ForeignProgram.RunAsync(Here, "wget", "-q", Url("files/a.bin"))).Succeeded();
        AssertSame(served, Mine("a.bin"));
    }

    [NeedsFact(Need.Wget)]
    public async Task Wget_continues_a_download_whose_client_was_killed()
    {
        string served = await ServeAsync("a.bin", Large);
        using (ForeignProgram first = ForeignProgram.Start(Here, "wget", "-q", "--limit-rate=1m", Url("files/a.bin")))
        {
            await first.KillWhenAsync(() => Arrived("a.bin") > 100_000);
        }

        Assert.InRange(Arrived("a.bin"), 1, Large - 1);
        ForeignProgram.Result second =
            (await ForeignProgram.RunAsync(Here, "wget", "-c", "--server-response", "-nv", Url("files/a.bin"))).Succeeded();
        Assert.Contains("206 Partial Content", second.Errors);
        AssertSame(served, Mine("a.bin"));
    }

    [NeedsFact(Need.Wget)]
    public async Task Wget_keeps_a_file_under_the_name_that_the_server_gives()
    {
        await ServeAsync("f/a b.bin", 10);
        (await ForeignProgram.RunAsync(Here, "wget", "-q", "--content-disposition", Url("files/f/a%20b.bin?download"))).Succeeded();
        Assert.Equal(10, Arrived("a b.bin"));
    }

    [NeedsTheory(Need.Aria2), InlineData(1), InlineData(65_537), InlineData(Large)]
    public async Task Aria2_downloads_a_file_over_four_connections(int length)
    {
        string served = await ServeAsync("a.bin", length);
        (await AriaAsync("--quiet", Url("files/a.bin"))).Succeeded();
        AssertSame(served, Mine("a.bin"));
    }

    [NeedsFact(Need.Aria2)]
    public async Task Aria2_continues_a_download_whose_client_was_killed()
    {
        string served = await ServeAsync("a.bin", Large);
        string control = Mine("a.bin.aria2");
        string[] arguments = ["-x4", "-s4", "-k1M", "--auto-save-interval=1", "--file-allocation=none", "--quiet"];
        using (ForeignProgram first = ForeignProgram.Start(
            Here, "aria2c", [.. arguments, "--max-overall-download-limit=1M", Url("files/a.bin")]))
        {
            await first.KillWhenAsync(() => File.Exists(control) && Arrived("a.bin") > 1_000_000);
        }

        Assert.True(File.Exists(control));
        (await AriaAsync("--quiet", "-c", Url("files/a.bin"))).Succeeded();
        Assert.False(File.Exists(control));
        AssertSame(served, Mine("a.bin"));
    }

    [NeedsFact(Need.Rclone)]
    public async Task Rclone_lists_and_copies_a_folder()
    {
        string[] names = ["a.bin", "sub/b c.txt", "sub/größe/d.bin", "sub/e&f'g#h.bin"];
        foreach (string name in names)
        {
            await ServeAsync(name, 1000 + name.Length);
        }

        string remote = $":http,url='{Url("files/")}':";
        ForeignProgram.Result listed = (await RcloneAsync("lsf", "-R", "--files-only", remote)).Succeeded();
        Assert.Equal(
            names.Order(StringComparer.Ordinal),
            listed.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Order(StringComparer.Ordinal));
        (await RcloneAsync("copy", remote, "copied")).Succeeded();
        foreach (string name in names)
        {
            AssertSame(Server.PathOf(name), Mine($"copied/{name}"));
        }
    }

    [NeedsTheory(Need.Rclone), MemberData(nameof(Sizes))]
    public async Task Rclone_copies_a_file(int length)
    {
        string served = await ServeAsync("f/a.bin", length);
        (await RcloneAsync("copy", $":http,url='{Url("files/f/")}':", "copied")).Succeeded();
        AssertSame(served, Mine("copied/a.bin"));
    }

    [NeedsFact(Need.Rclone)]
    public async Task Rclone_repeats_a_copy_that_was_killed()
    {
        string served = await ServeAsync("f/a.bin", Large);
        string small = await ServeAsync("f/b.bin", 1000);
        string remote = $":http,url='{Url("files/f/")}':";
        using (ForeignProgram first = ForeignProgram.Start(
            Here, "rclone", "--config", "/dev/null", "copy", "--bwlimit", "1M", "--buffer-size", "0", remote, "copied"))
        {
            await first.KillWhenAsync(() => Copied().Any(file => file.Name.StartsWith('a') && file.Length > 100_000));
        }

        // Newer versions write to another name first.
        Assert.InRange(Copied().Where(file => file.Name.StartsWith('a')).Max(file => file.Length), 1, Large - 1);
        (await RcloneAsync("copy", remote, "copied")).Succeeded();
        AssertSame(served, Mine("copied/a.bin"));
        AssertSame(small, Mine("copied/b.bin"));

        IEnumerable<FileInfo> Copied() =>
            Directory.Exists(Mine("copied")) ? new DirectoryInfo(Mine("copied")).EnumerateFiles() : [];
    }

    /// <summary>More than a page of a listing.</summary>
    private const int Many = ListFilesOptions.DefaultPageSize + 5;

    [NeedsTheory(Need.Wget), NeedsLocalFolder]
    [InlineData("*/*")]
    [InlineData("text/html")]
    public async Task Wget_mirrors_every_file_of_a_large_folder_once(string accept)
    {
        string[] names = await ServeManyAsync();
        (await ForeignProgram.RunAsync(Here, "wget", "-q", "-r", "-np", "-nH", "--cut-dirs=1", $"--header=Accept: {accept}", Url("files/"))).Succeeded();
        Assert.Equal(names, Mirrored("").Where(static name => !name.Contains("index.html", StringComparison.Ordinal)));
    }

    [NeedsFact(Need.Lftp), NeedsLocalFolder]
    public async Task Lftp_mirrors_every_file_of_a_large_folder_once()
    {
        string[] names = await ServeManyAsync();
        (await ForeignProgram.RunAsync(Here, "lftp", "-c", $"mirror --parallel=8 {Url("files/")} mirrored")).Succeeded();
        Assert.Equal(names, Mirrored("mirrored"));
    }

    [NeedsFact(Need.Rclone), NeedsLocalFolder]
    public async Task Rclone_copies_every_file_of_a_large_folder_once()
    {
        string[] names = await ServeManyAsync();
        (await RcloneAsync("copy", "--transfers=8", $":http,url='{Url("files/")}':", "mirrored")).Succeeded();
        Assert.Equal(names, Mirrored("mirrored"));
    }

    private async Task<string[]> ServeManyAsync()
    {
        string[] names = [.. Enumerable.Range(0, Many).Select(static i => $"many/{i}.bin"), "a b.txt", "sub/c.txt"];
        foreach (string name in names)
        {
            string path = Path.Combine(Server.Root, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            await File.WriteAllTextAsync(path, name);
        }

        return [.. names.Order(StringComparer.Ordinal)];
    }

    private IEnumerable<string> Mirrored(string folder) => Directory.EnumerateFiles(Mine(folder), "*", SearchOption.AllDirectories)
        .Select(file => Path.GetRelativePath(Mine(folder), file)).Order(StringComparer.Ordinal);

    private Task<ForeignProgram.Result> AriaAsync(params string[] arguments) =>
        ForeignProgram.RunAsync(Here, "aria2c", ["-x4", "-s4", "-k1M", "--file-allocation=none", .. arguments]);

    private Task<ForeignProgram.Result> RcloneAsync(params string[] arguments) =>
        ForeignProgram.RunAsync(Here, "rclone", ["--config", "/dev/null", .. arguments]);
}
