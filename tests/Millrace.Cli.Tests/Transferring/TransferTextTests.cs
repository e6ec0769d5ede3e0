using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Transfers in words and in JSON.</summary>
public sealed class TransferTextTests
{
    private const long MiB = 1024 * 1024;

    private static readonly TransferName Name = TransferName.Parse("a/b ü.bin");

    [Theory]
    [InlineData(0, null, 0, 1, "0 B")]
    [InlineData(12, 100, 0, 1, "12 MiB of 100 MiB")]
    [InlineData(12, 100, 11, 1, "12 MiB of 100 MiB, 11 MiB/s, 8 s left")]
    [InlineData(12, null, 11, 1, "12 MiB, 11 MiB/s")]
    [InlineData(100, 100, 11, 1, "100 MiB of 100 MiB, 11 MiB/s")]
    [InlineData(1, 1000, 1, 3, "1 MiB of 1000 MiB, 1 MiB/s, 17 min left, attempt 3")]
    public void Progress_shows_bytes_rate_and_time_left(int done, int? total, int rate, int attempt, string expected) => Assert.Equal(
        expected,
        TransferText.Progress(new TransferProgress(done * MiB, total * MiB, rate * MiB, TimeSpan.Zero, attempt)));

    [Fact]
    public void Result_shows_size_time_rate_protocol_and_digest()
    {
        Sha256Digest digest = Sha256Digest.Compute("x"u8);

        Assert.Equal(
            $"10 MiB, in 2.0 s (5 MiB/s) by http1; SHA-256 {digest}",
            TransferText.Result(new TransferResult(Name, 10 * MiB, null, digest, TransferProtocol.Http1, 10 * MiB, 1), 2));
    }

    [Fact]
    public void Resumed_result_shows_how_much_was_sent_now() => Assert.Equal(
        "10 MiB, in 2.0 s (2 MiB/s) by tus; continued, 4 MiB of it now; 3 attempts",
        TransferText.Result(new TransferResult(Name, 10 * MiB, null, null, TransferProtocol.Tus, 4 * MiB, 3), 2));

    [Fact]
    public void A_summary_counts_what_failed()
    {
        var item = new TransferItem("b.bin", Name, "http://h/files/b.bin", MiB);
        TransferOutcome[] outcomes =
        [
            new(item, new TransferResult(Name, MiB, null, null, TransferProtocol.Http1, MiB, 1), null, 1),
            new(item, null, new IOException("no"), 1),
        ];

        Assert.Equal("1 file, 1 MiB, in 1.0 s (1 MiB/s); 1 failed", TransferText.Summary(Totals(outcomes), 1, "with bad names"));
    }

    [Fact]
    public void Summary_counts_what_was_left_out_by_reason()
    {
        TransferItem item = new("b.bin", Name, "http://h/files/b.bin", MiB) { IsFound = true };
        var name = new TransferException(TransferError.InvalidName, "no");
        var kind = new TransferException(TransferError.InvalidRequest, "no");
        TransferOutcome[] outcomes =
        [
            new(item, null, name, 1), new(item with { Refused = name }, null, name, 1), new(item with { Refused = kind }, null, kind, 1), new(item, null, kind, 1),
        ];

        Assert.EndsWith(
            "; 1 failed; 3 left out: 2 with bad names, 1 that are links to folders, FIFOs, sockets or devices",
            TransferText.Summary(Totals(outcomes), 1, "with bad names"),
            StringComparison.Ordinal);
    }

    private static TransferTotals Totals(TransferOutcome[] outcomes)
    {
        var totals = new TransferTotals();
        foreach (TransferOutcome outcome in outcomes)
        {
            totals.Add(outcome);
        }

        return totals;
    }

    [Fact]
    public void Json_line_describes_the_result_of_a_file()
    {
        var item = new TransferItem("b.bin", Name, "http://h/files/a/b%20%C3%BC.bin", MiB);
        var result = new TransferResult(Name, MiB, new EntityTag("t"), Sha256Digest.Compute("x"u8), TransferProtocol.Http2, 5, 2);

        string line = TransferLine.Of(new TransferOutcome(item, result, null, 1.5)).ToJson();

        Assert.DoesNotContain('\n', line);
        using var json = JsonDocument.Parse(line);
        JsonElement root = json.RootElement;
        Assert.Equal("b.bin", root.GetProperty("file").GetString());
        Assert.Equal(item.Url, root.GetProperty("url").GetString());
        Assert.Equal("a/b ü.bin", root.GetProperty("name").GetString());
        Assert.Equal(MiB, root.GetProperty("length").GetInt64());
        Assert.Equal(5, root.GetProperty("sent").GetInt64());
        Assert.Equal("\"t\"", root.GetProperty("etag").GetString());
        Assert.Equal("http2", root.GetProperty("protocol").GetString());
        Assert.Equal("http2", root.GetProperty("wire").GetString());
        Assert.Equal(2, root.GetProperty("attempts").GetInt32());
        Assert.Equal(1.5, root.GetProperty("seconds").GetDouble());
        Assert.False(root.TryGetProperty("error", out _));
    }

    [Fact]
    public void Json_line_of_a_failure_has_its_kind_and_message()
    {
        var item = new TransferItem("b.bin", Name, "http://h/files/b.bin", MiB);
        var error = new TransferException(TransferError.AlreadyExists, "It is there.", "b.bin");

        using var json = JsonDocument.Parse(TransferLine.Of(new TransferOutcome(item, null, error, 0)).ToJson());

        Assert.Equal("AlreadyExists", json.RootElement.GetProperty("error").GetString());
        Assert.StartsWith("It is there.", json.RootElement.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.False(json.RootElement.TryGetProperty("length", out _));
    }

    [Theory]
    [InlineData(TransferError.Unauthorized, "MILLRACE_TOKEN")]
    [InlineData(TransferError.AlreadyExists, "--create-new")]
    [InlineData(TransferError.Disconnected, "same command resumes")]
    [InlineData(TransferError.ProtocolNotOffered, "--via")]
    [InlineData(TransferError.NotFound, "millrace ls")]
    public void Failure_names_the_option_that_helps(TransferError error, string advice)
    {
        string text = TransferFailure.Describe(new TransferException(error, "Why it failed"));

        Assert.StartsWith("Why it failed. ", text, StringComparison.Ordinal);
        Assert.Contains(advice, text, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_failures_of_files_and_connections_are_expected()
    {
        Assert.True(TransferFailure.IsExpected(new TransferException(TransferError.Failed, "why")));
        Assert.True(TransferFailure.IsExpected(new UnauthorizedAccessException()));
        Assert.False(TransferFailure.IsExpected(new InvalidOperationException()));
        Assert.Equal("AccessDenied", TransferFailure.KindOf(new UnauthorizedAccessException()));
        Assert.Equal("NotFound", TransferFailure.KindOf(new FileNotFoundException()));
    }

    [Fact]
    public void A_long_listing_has_size_time_tag_and_the_name_below_its_folder()
    {
        var modified = new DateTimeOffset(2026, 5, 2, 12, 0, 0, TimeSpan.Zero);
        var entry = new RemoteEntry(Name, IsFolder: false, 300_001, modified, new EntityTag("t"), null);

        string line = ListText.Long(entry, TransferName.Parse("a"));

        Assert.Matches(@"^  293 KiB  2026-05-0[123] \d\d:\d\d  ""t"" +b ü\.bin$", line);
        Assert.Equal("a/b ü.bin", ListText.NameOf(entry, default));
    }

    [Fact]
    public void A_folder_in_a_listing_ends_with_a_slash() => Assert.Equal(
        "b/", ListText.NameOf(new RemoteEntry(TransferName.Parse("a/b"), true, null, null, null, null), TransferName.Parse("a")));
}
