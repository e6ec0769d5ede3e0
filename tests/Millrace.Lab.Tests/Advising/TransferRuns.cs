namespace Millrace.Lab.Tests.Advising;

internal static class TransferRuns
{
    public const long Published = 23_898_406;

    public static CaseResult Move(
        string method,
        string direction,
        int buffer,
        double ms,
        double allocated = 0,
        double serverAllocated = 0,
        int processes = 2,
        string durability = "none",
        string compression = "none",
        int? roundTripMs = null,
        double? linkShare = null)
    {
        CaseResult item = Runs.Case(method, buffer, ms, Published, allocated: allocated);
        bool hasDigest = method.EndsWith("Sha256", StringComparison.Ordinal);
        return item with
        {
            Baseline = method.StartsWith("HttpClient", StringComparison.Ordinal),
            Parameters = new CaseParameters
            {
                Buffer = buffer,
                Bytes = Published,
                Content = "csv",
                Cache = "hot",
                Direction = direction,
                Compression = compression,
                Digest = hasDigest ? "sha-256" : "none",
                Durability = durability,
                Transport = "sockets",
                Processes = processes,
                RoundTripMs = roundTripMs,
                LinkBitsPerSecond = roundTripMs is null ? null : 1_000_000_000,
            },
            Summary = item.Summary! with
            {
                ServerAllocatedBytes = serverAllocated,
                ServerGen2 = 0,
                LargeObjectBytes = 0,
                ServerLargeObjectBytes = 0,
                LinkShare = linkShare,
            },
        };
    }

    public static LabResults Of(params CaseResult[] cases) => Runs.Of(cases) with { Suite = "transfers" };
}
