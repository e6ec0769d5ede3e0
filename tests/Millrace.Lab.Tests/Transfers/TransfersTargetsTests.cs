using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Transfers;

public sealed class TransfersTargetsTests
{
    [Fact]
    public void Bar_without_cases_is_neither_met_nor_missed()
    {
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of());
        Assert.Equal(24, targets.Count);
        Assert.All(targets, target => Assert.Null(target.Met));
    }

    [Theory]
    [InlineData("Http1", "HttpClient", "download", 100.0)]
    [InlineData("Http1", "HttpClient", "upload", 90.0)]
    [InlineData("Http1Sha256", "HttpClientSha256", "download", 95.0)]
    [InlineData("Http1Sha256", "HttpClientSha256", "upload", 95.0)]
    [InlineData("GrpcDirect", "HttpClient", "download", 100.0)]
    [InlineData("GrpcDirect", "HttpClient", "upload", 85.0)]
    [InlineData("GrpcDirect", "HttpClient", "download", 100.0, "gzip")]
    [InlineData("GrpcDirect", "HttpClient", "upload", 100.0, "gzip")]
    [InlineData("GrpcDirect", "GrpcNetRentedArray", "download", 85.0)]
    [InlineData("GrpcDirect", "GrpcNetRentedArray", "upload", 60.0)]
    [InlineData("GrpcDirect", "GrpcCoreRentedArray", "download", 80.0)]
    [InlineData("GrpcDirect", "GrpcCoreRentedArray", "upload", 80.0)]
    [InlineData("GrpcWebDirect", "HttpClient", "download", 100.0)]
    [InlineData("GrpcWebTextDirect", "HttpClient", "download", 150.0)]
    public void Each_direction_is_compared_with_the_baseline_of_the_same_digest_and_compression(
        string method, string baseline, string direction, double limitMs, string compression = "none")
    {
        Assert.True(Check(limitMs));
        Assert.False(Check(limitMs + 0.1));

        bool? Check(double ms)
        {
            IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
                TransferRuns.Move(baseline, direction, 65536, 100, compression: compression),
                TransferRuns.Move(baseline, direction, 65536, 10, compression: compression == "none" ? "gzip" : "none"),
                TransferRuns.Move(method, direction, 65536, ms, compression: compression)));
            TargetResult target = Assert.Single(
                targets, target => target.Met is not null && target.Figure.Contains(" / ", StringComparison.Ordinal));
            Assert.StartsWith($"{method} / {baseline}, {direction}, ", target.Figure, StringComparison.Ordinal);
            Assert.Equal(compression == "gzip", target.Figure.Contains("gzip", StringComparison.Ordinal));
            Assert.Contains("22.79 MiB at 64 KiB", target.Measured, StringComparison.Ordinal);
            return target.Met;
        }
    }

    [Theory]
    [InlineData("GrpcNetRentedArray")]
    [InlineData("GrpcCoreRentedArray")]
    public void Rented_arrays_are_compared_only_at_64_KiB(string row)
    {
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            TransferRuns.Move(row, "download", 262144, 10), TransferRuns.Move("GrpcDirect", "download", 262144, 10)));
        Assert.Null(targets.Named($"GrpcDirect / {row}, download").Met);
    }

    [Theory]
    [InlineData("none", 262144, 262144, true)]
    [InlineData("none", 262144, 262145, false)]
    [InlineData("gzip", 524288, 524288, true)]
    [InlineData("gzip", 524289, 524288, false)]
    public void Allocations_of_both_ends_of_gRPC_together_are_limited(string compression, double client, double server, bool met)
    {
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            TransferRuns.Move("GrpcDirect", "upload", 65536, 1, client, server, compression: compression)));
        Assert.Equal(met, targets.Named($"compression {compression}").Met);
        Assert.Null(targets.Named($"compression {(compression == "none" ? "gzip" : "none")}").Met);
    }

    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(100_024, 0, false)]
    [InlineData(0, 100_024, false)]
    public void Large_object_at_either_end_of_gRPC_misses_the_bar(double client, double server, bool met)
    {
        CaseResult item = TransferRuns.Move("GrpcDirect", "download", 65536, 1, compression: "gzip");
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            item with { Summary = item.Summary! with { LargeObjectBytes = client, ServerLargeObjectBytes = server } }));
        Assert.Equal(met, targets.Named("large objects").Met);
    }

    [Theory]
    [InlineData("Http2", "download")]
    [InlineData("Http2", "upload")]
    [InlineData("GrpcDirect", "download")]
    [InlineData("GrpcDirect", "upload")]
    public void Link_must_be_filled_at_60_ms(string method, string direction)
    {
        Assert.True(Check(60, 0.85).Met);
        Assert.False(Check(60, 0.849).Met);
        Assert.Null(Check(25, 0.1).Met);
        Assert.Contains("84.9 %", Check(60, 0.849).Measured, StringComparison.Ordinal);

        TargetResult Check(int roundTripMs, double share) => TransfersTargets.Check(TransferRuns.Of(
            TransferRuns.Move(method, direction, 65536, 4500, roundTripMs: roundTripMs, linkShare: share)))
            .Named($"{method}, {direction}, round trip");
    }

    [Fact]
    public void Cases_over_a_link_do_not_count_for_loopback_bars()
    {
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            TransferRuns.Move("HttpClient", "download", 65536, 10, roundTripMs: 1),
            TransferRuns.Move("GrpcDirect", "download", 65536, 90, 1 << 20, 1 << 20, roundTripMs: 1)));
        Assert.All(targets, target => Assert.Null(target.Met));
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
        TargetResult target = TransfersTargets.Check(results).Named("Http1 / HttpClient, download");
        Assert.False(target.Met);
        Assert.Equal("1.100 at worst (22.79 MiB at 256 KiB), 88.0 ms against 80.0 ms", target.Measured);
    }

    [Theory]
    [InlineData(262144, 262144, true, true)]
    [InlineData(262145, 1000, false, true)]
    [InlineData(1000, 262145, true, false)]
    public void Allocations_at_each_end_are_limited(double client, double server, bool clientMet, bool serverMet)
    {
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            TransferRuns.Move("Http1Sha256", "upload", 65536, 1, client, server),
            TransferRuns.Move("Http1", "download", 65536, 1, 10, 10),
            TransferRuns.Move("HttpClient", "download", 65536, 1, 1 << 20, 1 << 20)));
        Assert.Equal(clientMet, targets.Named("allocated by the client").Met);
        Assert.Equal(serverMet, targets.Named("allocated by the server").Met);
    }

    [Theory]
    [InlineData(0, 0, true)]
    [InlineData(1, 0, false)]
    [InlineData(0, 1, false)]
    public void Collection_at_either_end_misses_the_bar(double client, double server, bool met)
    {
        CaseResult item = TransferRuns.Move("Http1", "upload", 65536, 1);
        IReadOnlyList<TargetResult> targets = TransfersTargets.Check(TransferRuns.Of(
            item with { Summary = item.Summary! with { Gen2 = client, ServerGen2 = server } }));
        Assert.Equal(met, targets.Named("collections of generation 2").Met);
    }

    [Fact]
    public void Finding_contains_only_measured_values()
    {
        Assert.Null(TransfersTargets.Finding(TransferRuns.Of(TransferRuns.Move("HttpClient", "download", 65536, 1))));
        Assert.Equal(
            "Uploading 22.79 MiB with buffers of 80 KiB, TransferClient is 1.1 times as fast over HTTP/1.1 (27.0 and 30.0 ms) as HttpClient.",
            TransfersTargets.Finding(TransferRuns.Of(
                TransferRuns.Move("HttpClient", "upload", 81920, 30), TransferRuns.Move("Http1", "upload", 81920, 27))));
        Assert.Equal(
            "Downloading 22.79 MiB with buffers of 64 KiB, TransferClient is 1.05 times as fast over HTTP/1.1 (19.0 and 20.0 ms) and "
            + "is 1.1 times as fast over gRPC (18.0 and 20.0 ms) as HttpClient; uploading 22.79 MiB with buffers of 64 KiB, "
            + "TransferClient is 1.3 times as fast over gRPC (24.0 and 30.0 ms) as HttpClient.",
            TransfersTargets.Finding(TransferRuns.Of(
                TransferRuns.Move("HttpClient", "download", 65536, 20),
                TransferRuns.Move("Http1", "download", 65536, 19),
                TransferRuns.Move("GrpcDirect", "download", 65536, 18),
                TransferRuns.Move("HttpClient", "upload", 65536, 30),
                TransferRuns.Move("GrpcDirect", "upload", 65536, 24))));
    }
}
