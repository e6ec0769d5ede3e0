using Millrace.Lab.Suites.Transfers;
using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>When an aim is met, missed, or neither.</summary>
public sealed class TransfersBarsTests
{
    private const int Download = 0;
    private const int Upload = 1;
    private const int DownloadSha256 = 2;
    private const int UploadSha256 = 3;
    private const int ClientAllocated = 4;
    private const int ServerAllocated = 5;
    private const int Collections = 6;
    private const int GrpcDownload = 7;
    private const int GrpcUpload = 8;
    private const int RentedDownload = 9;
    private const int RentedUpload = 10;
    private const int GrpcAllocated = 11;
    private const int GrpcGzipAllocated = 12;
    private const int LargeObjects = 13;
    private const int WebDownload = 14;
    private const int WebTextDownload = 15;
    private const int GzipDownload = 16;
    private const int GzipUpload = 17;
    private const int Http2LinkDownload = 18;
    private const int Http2LinkUpload = 19;
    private const int GrpcLinkDownload = 20;
    private const int GrpcLinkUpload = 21;

    [Fact]
    public void Bar_without_cases_is_neither_met_nor_missed()
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of());
        Assert.Equal(22, bars.Count);
        Assert.All(bars, bar => Assert.Null(bar.Met));
    }

    [Theory]
    [InlineData("Http1", "HttpClient", "download", Download, 100.0, true)]
    [InlineData("Http1", "HttpClient", "download", Download, 100.1, false)]
    [InlineData("Http1", "HttpClient", "upload", Upload, 90.0, true)]
    [InlineData("Http1", "HttpClient", "upload", Upload, 90.1, false)]
    [InlineData("Http1Sha256", "HttpClientSha256", "download", DownloadSha256, 95.0, true)]
    [InlineData("Http1Sha256", "HttpClientSha256", "download", DownloadSha256, 95.1, false)]
    [InlineData("Http1Sha256", "HttpClientSha256", "upload", UploadSha256, 95.0, true)]
    [InlineData("Http1Sha256", "HttpClientSha256", "upload", UploadSha256, 95.1, false)]
    [InlineData("GrpcDirect", "HttpClient", "download", GrpcDownload, 100.0, true)]
    [InlineData("GrpcDirect", "HttpClient", "download", GrpcDownload, 100.1, false)]
    [InlineData("GrpcDirect", "HttpClient", "upload", GrpcUpload, 95.0, true)]
    [InlineData("GrpcDirect", "HttpClient", "upload", GrpcUpload, 95.1, false)]
    [InlineData("GrpcDirect", "GrpcRentedArray", "download", RentedDownload, 95.0, true)]
    [InlineData("GrpcDirect", "GrpcRentedArray", "download", RentedDownload, 95.1, false)]
    [InlineData("GrpcDirect", "GrpcRentedArray", "upload", RentedUpload, 95.0, true)]
    [InlineData("GrpcDirect", "GrpcRentedArray", "upload", RentedUpload, 95.1, false)]
    [InlineData("GrpcWebDirect", "HttpClient", "download", WebDownload, 100.0, true)]
    [InlineData("GrpcWebDirect", "HttpClient", "download", WebDownload, 100.1, false)]
    [InlineData("GrpcWebTextDirect", "HttpClient", "download", WebTextDownload, 150.0, true)]
    [InlineData("GrpcWebTextDirect", "HttpClient", "download", WebTextDownload, 150.1, false)]
    public void Each_direction_is_compared_with_the_baseline_of_the_same_digest(
        string method, string baseline, string direction, int bar, double ms, bool met)
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move(baseline, direction, 65536, 100), TransferRuns.Move(method, direction, 65536, ms)));
        Assert.Equal(met, bars[bar].Met);
        Assert.Contains("22.79 MiB at 64 KiB", bars[bar].Measured, StringComparison.Ordinal);
        Assert.All(
            bars.Where((other, index) => index != bar && other.Figure.Contains(" / ", StringComparison.Ordinal)),
            other => Assert.Null(other.Met));
    }

    [Theory]
    [InlineData("download", GzipDownload, 100.0, true)]
    [InlineData("download", GzipDownload, 100.1, false)]
    [InlineData("upload", GzipUpload, 100.0, true)]
    [InlineData("upload", GzipUpload, 100.1, false)]
    public void Compressed_transfer_is_compared_with_the_compressed_baseline(string direction, int bar, double ms, bool met)
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move("HttpClient", direction, 65536, 10),
            TransferRuns.Move("HttpClient", direction, 65536, 100, compression: "gzip"),
            TransferRuns.Move("GrpcDirect", direction, 65536, ms, compression: "gzip")));
        Assert.Equal(met, bars[bar].Met);
        Assert.Null(bars[GrpcDownload].Met);
        Assert.Null(bars[GrpcUpload].Met);
    }

    [Fact]
    public void Rented_arrays_are_compared_only_at_64_KiB()
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move("GrpcRentedArray", "download", 262144, 10), TransferRuns.Move("GrpcDirect", "download", 262144, 10)));
        Assert.Null(bars[RentedDownload].Met);
    }

    [Theory]
    [InlineData("none", 262144, 262144, GrpcAllocated, true)]
    [InlineData("none", 262144, 262145, GrpcAllocated, false)]
    [InlineData("gzip", 524288, 524288, GrpcGzipAllocated, true)]
    [InlineData("gzip", 524289, 524288, GrpcGzipAllocated, false)]
    public void Allocations_of_both_ends_of_gRPC_together_are_limited(
        string compression, double client, double server, int bar, bool met)
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move("GrpcDirect", "upload", 65536, 1, client, server, compression: compression)));
        Assert.Equal(met, bars[bar].Met);
        Assert.Null(bars[bar == GrpcAllocated ? GrpcGzipAllocated : GrpcAllocated].Met);
    }

    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(100_024, 0, false)]
    [InlineData(0, 100_024, false)]
    public void Large_object_at_either_end_of_gRPC_misses_the_bar(double client, double server, bool met)
    {
        CaseResult item = TransferRuns.Move("GrpcDirect", "download", 65536, 1, compression: "gzip");
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            item with { Summary = item.Summary! with { LargeObjectBytes = client, ServerLargeObjectBytes = server } }));
        Assert.Equal(met, bars[LargeObjects].Met);
    }

    [Theory]
    [InlineData("Http2", "download", Http2LinkDownload)]
    [InlineData("Http2", "upload", Http2LinkUpload)]
    [InlineData("GrpcDirect", "download", GrpcLinkDownload)]
    [InlineData("GrpcDirect", "upload", GrpcLinkUpload)]
    public void Link_must_be_filled_at_60_ms(string method, string direction, int bar)
    {
        Assert.True(Check(60, 0.85).Met);
        Assert.False(Check(60, 0.849).Met);
        Assert.Null(Check(25, 0.1).Met);
        Assert.Contains("84.9 %", Check(60, 0.849).Measured, StringComparison.Ordinal);

        BarResult Check(int roundTripMs, double share) => TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move(method, direction, 65536, 4500, roundTripMs: roundTripMs, linkShare: share)))[bar];
    }

    [Fact]
    public void Cases_over_a_link_do_not_count_for_loopback_bars()
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move("HttpClient", "download", 65536, 10, roundTripMs: 1),
            TransferRuns.Move("GrpcDirect", "download", 65536, 90, 1 << 20, 1 << 20, roundTripMs: 1)));
        Assert.All(bars, bar => Assert.Null(bar.Met));
    }

    [Fact]
    public void Buffers_of_at_least_64_KiB_between_two_processes_count()
    {
        LabResults results = TransferRuns.Of(
            TransferRuns.Move("HttpClient", "download", 65536, 100),
            TransferRuns.Move("Http1", "download", 65536, 90),
            TransferRuns.Move("HttpClient", "download", 4096, 10),
            TransferRuns.Move("Http1", "download", 4096, 90),
            TransferRuns.Move("HttpClient", "download", 65536, 10, processes: 1),
            TransferRuns.Move("Http1", "download", 65536, 90, processes: 1),
            TransferRuns.Move("HttpClient", "download", 65536, 10, durability: "commit"),
            TransferRuns.Move("Http1", "download", 65536, 90, durability: "commit"),
            TransferRuns.Move("HttpClient", "download", 262144, 80),
            TransferRuns.Move("Http1", "download", 262144, 88));
        BarResult bar = TransfersBars.Check(results)[Download];
        Assert.False(bar.Met);
        Assert.Equal("1.100 at worst (22.79 MiB at 256 KiB), 88.0 ms against 80.0 ms", bar.Measured);
    }

    [Theory]
    [InlineData(262144, 262144, true, true)]
    [InlineData(262145, 1000, false, true)]
    [InlineData(1000, 262145, true, false)]
    public void Allocations_at_each_end_are_limited(double client, double server, bool clientMet, bool serverMet)
    {
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            TransferRuns.Move("Http1Sha256", "upload", 65536, 1, client, server),
            TransferRuns.Move("Http1", "download", 65536, 1, 10, 10),
            TransferRuns.Move("HttpClient", "download", 65536, 1, 1 << 20, 1 << 20)));
        Assert.Equal([clientMet, serverMet], [bars[ClientAllocated].Met!.Value, bars[ServerAllocated].Met!.Value]);
    }

    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(1, 0, false)]
    [InlineData(0, 1, false)]
    public void Collection_at_either_end_misses_the_bar(double client, double server, bool met)
    {
        CaseResult item = TransferRuns.Move("Http1", "upload", 65536, 1);
        IReadOnlyList<BarResult> bars = TransfersBars.Check(TransferRuns.Of(
            item with { Summary = item.Summary! with { Gen2 = client, ServerGen2 = server } }));
        Assert.Equal(met, bars[Collections].Met);
    }

    [Fact]
    public void Finding_contains_only_measured_values()
    {
        Assert.Null(TransfersBars.Finding(TransferRuns.Of(TransferRuns.Move("HttpClient", "download", 65536, 1))));
        Assert.Equal(
            "TransferClient uploaded 22.79 MiB in 27.0 ms over HTTP/1.1, 0.90 of the 30.0 ms of HttpClient with buffers of 80 KiB.",
            TransfersBars.Finding(TransferRuns.Of(
                TransferRuns.Move("HttpClient", "upload", 81920, 30), TransferRuns.Move("Http1", "upload", 81920, 27))));
        Assert.Equal(
            "TransferClient downloaded 22.79 MiB in 19.0 ms over HTTP/1.1, 0.95, and in 18.0 ms over gRPC, 0.90 of the 20.0 ms of "
            + "HttpClient with buffers of 64 KiB; it uploaded 22.79 MiB in 24.0 ms over gRPC, 0.80 of the 30.0 ms of HttpClient "
            + "with buffers of 64 KiB.",
            TransfersBars.Finding(TransferRuns.Of(
                TransferRuns.Move("HttpClient", "download", 65536, 20),
                TransferRuns.Move("Http1", "download", 65536, 19),
                TransferRuns.Move("GrpcDirect", "download", 65536, 18),
                TransferRuns.Move("HttpClient", "upload", 65536, 30),
                TransferRuns.Move("GrpcDirect", "upload", 65536, 24))));
    }
}
