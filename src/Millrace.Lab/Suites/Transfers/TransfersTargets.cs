namespace Millrace.Lab.Suites.Transfers;

/// <summary>The targets of transfers, and the result in a sentence.</summary>
internal static class TransfersTargets
{
    private const int SmallestBuffer = 65536;
    private const int FarMs = 60;
    private const double MinLinkShare = 0.85;
    private const string Http1 = TransferMethod.Http1;
    private const string Http1Sha256 = TransferMethod.Http1Sha256;
    private const string Grpc = TransferMethod.GrpcDirect;

    private static readonly string[] Directions = [TransfersSuite.Download, TransfersSuite.Upload];
    private static readonly string[] Http = [Http1, Http1Sha256];
    private static readonly string HttpNames = string.Join(", ", Http);
    private static readonly (string Method, string Protocol)[] Protocols = [(Http1, "HTTP/1.1"), (Grpc, "gRPC")];

    private static readonly TargetDefinition[] Targets =
    [
        Ratio(Http1, TransferMethod.HttpClient, TransfersSuite.Download, 1.00),
        Ratio(Http1, TransferMethod.HttpClient, TransfersSuite.Upload, 0.90),
        Ratio(Http1Sha256, TransferMethod.HttpClientSha256, TransfersSuite.Download, 0.95),
        Ratio(Http1Sha256, TransferMethod.HttpClientSha256, TransfersSuite.Upload, 0.95),
        TargetDefinition.MaxBytes($"{HttpNames}: allocated by the client per transfer", 256 * ByteSize.KiB, OfHttp, where: Where),
        TargetDefinition.MaxBytes(
            $"{HttpNames}: allocated by the server per transfer",
            256 * ByteSize.KiB,
            OfHttp,
            summary => summary.ServerAllocatedBytes,
            Where),
        TargetDefinition.None(
            $"{HttpNames}: collections of generation 2, at both ends",
            OfHttp,
            summary => summary.Gen2 is null || summary.ServerGen2 is null ? null : summary is not { Gen2: 0, ServerGen2: 0 },
            Where),
        Ratio(Grpc, TransferMethod.HttpClient, TransfersSuite.Download, 1.00),
        Ratio(Grpc, TransferMethod.HttpClient, TransfersSuite.Upload, 0.85),
        Ratio(Grpc, TransferMethod.GrpcNetRentedArray, TransfersSuite.Download, 0.85, buffer: TransfersSuite.MainBuffer),
        Ratio(Grpc, TransferMethod.GrpcNetRentedArray, TransfersSuite.Upload, 0.60, buffer: TransfersSuite.MainBuffer),
        .. Directions.Select(direction => Ratio(
            Grpc, TransferMethod.GrpcCoreRentedArray, direction, 0.80, buffer: TransfersSuite.MainBuffer)),
        AllocatedByBoth(Grpc, TransfersSuite.None, 512 * ByteSize.KiB),
        AllocatedByBoth(Grpc, TransfersSuite.Gzip, ByteSize.MiB),
        TargetDefinition.None(
            $"{Grpc}: large objects, at both ends",
            cases => Of(cases, Grpc).Concat(Of(cases, Grpc, compression: TransfersSuite.Gzip)),
            summary => summary.LargeObjectBytes is null || summary.ServerLargeObjectBytes is null
                ? null
                : summary is not { LargeObjectBytes: 0, ServerLargeObjectBytes: 0 },
            Where),
        Ratio(TransferMethod.GrpcWebDirect, TransferMethod.HttpClient, TransfersSuite.Download, 1.00),
        Ratio(TransferMethod.GrpcWebTextDirect, TransferMethod.HttpClient, TransfersSuite.Download, 1.50),
        .. Directions.Select(direction => Ratio(
            Grpc, TransferMethod.HttpClient, direction, 1.00, compression: TransfersSuite.Gzip)),
        .. Directions.Select(direction => LinkShare(TransferMethod.Http2, direction)),
        .. Directions.Select(direction => LinkShare(Grpc, direction)),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>States the measurements of downloads and of uploads; null when neither was.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string[] parts =
        [
            .. new[] { Moved(cases, TransfersSuite.Download, "Downloading"), Moved(cases, TransfersSuite.Upload, "uploading") }
                .OfType<string>(),
        ];
        return parts.Length == 0 ? null : Figures.Capital(string.Join("; ", parts)) + ".";
    }

    private static string? Moved(MeasuredCases cases, string direction, string verb)
    {
        (CasePair Pair, string Protocol)[] all =
        [
            .. from protocol in Protocols
               let pair = CasePair.WithSame(cases, Of(cases, protocol.Method, direction), TransferMethod.HttpClient)
                   .OrderBy(pair => pair.Mine.Parameters.Buffer != TransfersSuite.MainBuffer)
                   .ThenBy(pair => pair.Mine.Parameters.Bytes)
                   .FirstOrDefault()
               where pair.Mine is not null
               select (pair, protocol.Protocol),
        ];
        if (all.Length == 0)
        {
            return null;
        }

        // The same buffer for all that the sentence has, which is the first one's.
        CasePair first = all[0].Pair;
        CaseParameters parameters = first.Mine.Parameters;
        IEnumerable<string> times =
            from each in all
            where each.Pair.Mine.Parameters == parameters
            select $"{Figures.Speed(each.Pair.Ratio)} over {each.Protocol} ({Figures.Both(each.Pair.Mine, each.Pair.Other)})";
        return $"{verb} {ByteSize.ToText(parameters.Bytes!.Value)} with buffers of {Figures.Buffer(first.Mine)}, "
            + $"TransferClient {string.Join(" and ", times)} as HttpClient";
    }

    // A method's cases between two processes on loopback that wait for no device.
    private static IEnumerable<CaseResult> Of(
        MeasuredCases cases, string method, string? direction = null, string compression = TransfersSuite.None) =>
        cases.Of(method, parameters =>
            parameters is { Processes: 2, Durability: TransfersSuite.None, RoundTripMs: null, Load: null }
            && parameters.Compression == compression
            && (direction is null || parameters.Direction == direction));

    private static IEnumerable<CaseResult> OfHttp(MeasuredCases cases) => Http.SelectMany(method => Of(cases, method));

    private static TargetDefinition Ratio(
        string mine, string other, string direction, double limit, string compression = TransfersSuite.None, int? buffer = null)
    {
        string buffers = buffer is { } only ? ByteSize.ToText(only) : $"every buffer ≥ {ByteSize.ToText(SmallestBuffer)}";
        string coding = compression == TransfersSuite.None ? "" : $"{compression}, ";
        return TargetDefinition.Ratio($"{mine} / {other}, {direction}, {coding}{buffers}", limit, cases => CasePair.WithSame(
            cases,
            Of(cases, mine, direction, compression)
                .Where(item => buffer is null ? item.Parameters.Buffer >= SmallestBuffer : item.Parameters.Buffer == buffer),
            other));
    }

    // Of the file of the published figures.
    private static TargetDefinition AllocatedByBoth(string method, string compression, long limit) => TargetDefinition.MaxBytes(
        $"{method}, compression {compression}: allocated by both ends per 23.9 MB",
        limit,
        cases => Of(cases, method, compression: compression).Where(item => item.Parameters.Content == "csv"),
        summary => summary.AllocatedBytes + summary.ServerAllocatedBytes,
        Where);

    private static TargetDefinition LinkShare(string method, string direction) => new(
        $"{method}, {direction}, round trip of {FarMs} ms: part of the link after the first second",
        TargetDefinition.Invariant($"≥ {MinLinkShare * 100:0} %"),
        cases => cases.Of(method, parameters => parameters.RoundTripMs == FarMs && parameters.Direction == direction)
            .Where(item => item.Summary!.LinkShare is not null).MinBy(item => item.Summary!.LinkShare) is { } item
            ? (TargetDefinition.Invariant($"{item.Summary!.LinkShare * 100:0.0} % ({ByteSize.ToText(item.Parameters.Bytes!.Value)} in {Figures.Time(item)})"),
                item.Summary.LinkShare >= MinLinkShare)
            : null);

    private static string Where(CaseResult item) =>
        $"{item.Method}, {item.Parameters.Direction}, {TargetDefinition.Where(item)}";
}
