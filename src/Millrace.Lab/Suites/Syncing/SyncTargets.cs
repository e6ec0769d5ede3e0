using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Syncing;

/// <summary>The targets of syncs, and the result in a sentence.</summary>
internal static class SyncTargets
{
    private const double InsertedShare = 0.003;

    private static readonly string[] Directions = [TransfersSuite.Upload, TransfersSuite.Download];

    private static readonly TargetDefinition[] Targets =
    [
        .. Directions.Select(direction => BytesRatio(direction, 1.05)),
        TargetDefinition.Ratio(
            "Millrace, 1 % of the blocks changed / the whole file, upload at 100 Mbit/s",
            0.06,
            static cases => CasePair.WithSame(
                cases,
                Of(cases, SyncSuite.Edited, TransfersSuite.Upload, isLinked: true),
                SyncMethod.Millrace,
                static parameters => parameters with { Content = SyncSuite.Whole })),
        .. Directions.Select(direction => TargetDefinition.Max(
            $"Millrace, 1 byte inserted in front: bytes sent, {direction}",
            "0.3 % of the file",
            InsertedShare,
            cases => Of(cases, SyncSuite.Inserted, direction).Select(Shared),
            static summary => summary.NetworkBytes,
            static (item, share) => TargetDefinition.Invariant($"{share * 100:0.000} %"))),
        Time("Millrace / Rsync, nothing changed", SyncSuite.Unchanged, TransfersSuite.None, 1.00),
        Time("Millrace / Rsync, new small files, durability none", SyncSuite.New, TransfersSuite.None, 1.50),
        Time("Millrace, durable / Rsync, new small files", SyncSuite.New, TransfersSuite.Commit, 3.00),
        new(
            "BlockSums / Sha256, processor time",
            "≤ 0.50",
            static cases => CasePair.WithSame(cases, cases.Of(SyncMethod.BlockSums), SyncMethod.Sha256).FirstOrDefault() is { Mine: not null } pair
                && Figures.Cpu(pair.Mine) / Figures.Cpu(pair.Other) is { } ratio
                ? (TargetDefinition.Invariant($"{ratio:0.000}, {Figures.Time(Figures.Cpu(pair.Mine)!.Value)} against {Figures.Time(Figures.Cpu(pair.Other)!.Value)}"), ratio <= 0.5)
                : null),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>The bytes of a delta, and the time of a folder in which nothing has changed; null where neither was measured.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string[] parts =
        [
            .. from direction in Directions
               let pair = Pairs(cases, SyncSuite.Edited, direction).FirstOrDefault(pair => BytesOf(pair) is not null)
               where pair.Mine is not null
               select $"of a file in which 1 % of the blocks have changed, an {direction} by Millrace sends {Figures.Factor(BytesOf(pair)!.Value)} times as many bytes as rsync",
            .. from pair in Pairs(cases, SyncSuite.Unchanged, TransfersSuite.Upload)
               select $"where nothing has changed in {pair.Mine.Parameters.Files:#,0} files, Millrace {Figures.Speed(pair.Ratio)} as rsync",
        ];
        return parts.Length == 0 ? null : Figures.Capital(string.Join("; ", parts)).Replace("an download", "a download", StringComparison.Ordinal) + ".";
    }

    private static TargetDefinition Time(string figure, string content, string durability, double limit) => TargetDefinition.Ratio(
        figure,
        limit,
        cases => CasePair.WithSame(
            cases,
            cases.Of(SyncMethod.Millrace, parameters => parameters.Content == content && parameters.Durability == durability),
            SyncMethod.Rsync,
            static parameters => parameters with { Durability = TransfersSuite.None }));

    private static TargetDefinition BytesRatio(string direction, double limit) => new(
        $"Millrace / Rsync, 1 % of the blocks changed: bytes both ways, {direction}",
        TargetDefinition.Invariant($"≤ {limit:0.00}"),
        cases => Pairs(cases, SyncSuite.Edited, direction).Where(pair => BytesOf(pair) is not null).OrderByDescending(BytesOf).FirstOrDefault() is { Mine: not null } worst
            ? (TargetDefinition.Invariant($"{BytesOf(worst):0.000}, {worst.Mine.Summary!.NetworkBytes:#,0} against {worst.Other.Summary!.NetworkBytes:#,0} B"), BytesOf(worst) <= limit)
            : null);

    private static double? BytesOf(CasePair pair) => pair.Mine.Summary!.NetworkBytes / pair.Other.Summary!.NetworkBytes;

    private static CaseResult Shared(CaseResult item) =>
        item with { Summary = item.Summary! with { NetworkBytes = item.Summary.NetworkBytes / item.Parameters.Bytes } };

    private static IEnumerable<CasePair> Pairs(MeasuredCases cases, string content, string direction) => CasePair.WithSame(
        cases,
        cases.Of(SyncMethod.Millrace, parameters => parameters.Content == content && parameters.Direction == direction),
        SyncMethod.Rsync);

    private static IEnumerable<CaseResult> Of(MeasuredCases cases, string content, string direction, bool? isLinked = null) => cases.Of(
        SyncMethod.Millrace,
        parameters => parameters.Content == content && parameters.Direction == direction
            && (isLinked is not { } wanted || parameters.LinkBitsPerSecond is not null == wanted));
}
