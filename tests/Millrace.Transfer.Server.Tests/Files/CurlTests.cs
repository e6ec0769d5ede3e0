namespace Millrace.Transfer.Server.Tests.Files;

public sealed class CurlTests : ClientTest
{
    [NeedsTheory(Need.Curl), MemberData(nameof(Sizes))]
    public async Task Curl_downloads_a_file(int length)
    {
        string served = await ServeAsync("a.bin", length);
        (await CurlAsync("-f", "-o", "got", Url("files/a.bin"))).Succeeded();
        AssertSame(served, Mine("got"));
    }

    [NeedsTheory(Need.Curl), MemberData(nameof(Sizes))]
    public async Task Curl_uploads_a_file(int length)
    {
        await File.WriteAllBytesAsync(Mine("mine"), Content.Of(length));
        (await CurlAsync("-f", "-T", "mine", Url("files/f/b.bin"))).Succeeded();
        AssertSame(Mine("mine"), Server.PathOf("f/b.bin"));
    }

    [NeedsFact(Need.Curl)]
    public async Task Curl_continues_a_download_whose_client_was_killed()
    {
        string served = await ServeAsync("a.bin", Large);
        using (ForeignProgram first = ForeignProgram.Start(
            Here, "curl", "-s", "--limit-rate", "1M", "-o", "got", Url("files/a.bin")))
        {
            await first.KillWhenAsync(() => Arrived("got") > 100_000);
        }

        long before = Arrived("got");
        Assert.InRange(before, 1, Large - 1);
        ForeignProgram.Result second = (await CurlAsync("-f", "-C", "-", "-o", "got", "-w", "%{http_code} %{size_download}", Url("files/a.bin"))).Succeeded();
        Assert.Equal($"206 {Large - before}", second.Output);
        AssertSame(served, Mine("got"));
    }

    [NeedsFact(Need.Curl)]
    public async Task Curl_decodes_what_it_asked_to_be_compressed()
    {
        string served = await Server.WriteAsync("a.txt", Content.Text(2_000_000));
        foreach (string coding in new[] { "gzip", "br" })
        {
            ForeignProgram.Result result = (await CurlAsync(
                "-f", "--compressed", "-H", $"Accept-Encoding: {coding}", "-o", "got", "-w", "%{size_download}",
                Url("files/a.txt"))).Succeeded();
            Assert.InRange(int.Parse(result.Output), 1, 1_000_000);
            AssertSame(served, Mine("got"));
        }
    }

    [NeedsFact(Need.Curl)]
    public async Task Curl_gets_several_ranges()
    {
        await ServeAsync("a.bin", 1000);
        ForeignProgram.Result result =
            (await CurlAsync("-f", "-r", "0-9,500-509", "-o", "got", "-w", "%{http_code} %{content_type}", Url("files/a.bin"))).Succeeded();
        Assert.StartsWith("206 multipart/byteranges", result.Output, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Curl)]
    public async Task Curl_sends_nothing_of_a_large_file_that_is_refused()
    {
        await ServeAsync("a.bin", 10);
        await File.WriteAllBytesAsync(Mine("mine"), Content.Of(Large));
        ForeignProgram.Result result = await CurlAsync(
            "--expect100-timeout", "60", "-H", "Expect: 100-continue", "-H", "If-None-Match: *", "-T", "mine",
            "-w", "%{http_code} %{size_upload}", "-o", "answer", Url("files/a.bin"));
        Assert.Equal("412 0", result.Output);
        Assert.Contains("a.bin", await File.ReadAllTextAsync(Mine("answer")));
    }

    [NeedsFact(Need.Curl)]
    public async Task Curl_downloads_only_what_changed()
    {
        await ServeAsync("a.bin", 1000);
        (await CurlAsync("-f", "--etag-save", "tag", "-o", "got", Url("files/a.bin"))).Succeeded();
        ForeignProgram.Result same = await CurlAsync("--etag-compare", "tag", "-o", "again", "-w", "%{http_code}", Url("files/a.bin"));
        Assert.Equal("304", same.Output);
        (await CurlAsync("-f", "-R", "-z", "got", "-o", "got", "-w", "%{http_code}", Url("files/a.bin"))).Succeeded();
    }

    [NeedsTheory(Need.Curl), InlineData("4294967295-4294967304"), InlineData("-10")]
    [NeedsLocalFolder]
    public async Task Curl_downloads_a_range_of_five_gibibytes(string range)
    {
        await using RunningServer server = await RunningServer.StartAsync(ForHuge);
        MakeHuge(server.PathOf("huge.bin"), FiveGiB);
        ForeignProgram.Result part = (await CurlAsync("-f", "-r", range, server.Url("files/huge.bin").AbsoluteUri)).Succeeded();
        Assert.Equal("0123456789", part.Output);
    }

    [Trait("Tier", "Soak")]
    [NeedsFact(Need.Curl | Need.Bash)]
    [NeedsLocalFolder]
    public async Task Curl_downloads_more_than_32_bits_count()
    {
        await using RunningServer server = await RunningServer.StartAsync(ForHuge);
        MakeHuge(server.PathOf("huge.bin"), WrittenHuge);

        // Compared on the way instead of being written.
        (await ForeignProgram.RunAsync(
            Here, "bash", "-o", "pipefail", "-c", $"curl -sf {server.Url("files/huge.bin")} | cmp - {server.PathOf("huge.bin")}")).Succeeded();
    }

    [Trait("Tier", "Soak")]
    [NeedsFact(Need.Curl)]
    [NeedsLocalFolder]
    public async Task Curl_uploads_more_than_32_bits_count()
    {
        await using RunningServer server = await RunningServer.StartAsync(ForHuge);
        MakeHuge(Mine("huge.bin"), WrittenHuge);
        (await CurlAsync("-f", "-T", "huge.bin", server.Url("files/huge.bin").AbsoluteUri)).Succeeded();
        (await ForeignProgram.RunAsync(Here, "cmp", "huge.bin", server.PathOf("huge.bin"))).Succeeded();
    }

    private static RunningServerOptions ForHuge => new()
    {
        Store = new LocalFileStoreOptions { ComputeSha256 = false, Durability = Durability.None },
    };

    private Task<ForeignProgram.Result> CurlAsync(params string[] arguments) =>
        ForeignProgram.RunAsync(Here, "curl", ["-sS", "--max-time", "110", .. arguments]);
}
