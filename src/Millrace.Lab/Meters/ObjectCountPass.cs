using System.Diagnostics;
using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>
/// Estimates how many managed objects an invocation allocates, in a pass of its own: sampling makes allocating slower. It
/// needs what <see cref="AllocationPass"/> found.
/// </summary>
internal static class ObjectCountPass
{
    /// <summary>Where the number comes from.</summary>
    public const string Source =
        "AllocationSampled events of the runtime, in a pass of its own; sampled: an estimate from one sample per 100 KiB";

    /// <summary>Why a case that allocates little has no number.</summary>
    public const string TooLittle =
        "it allocates too little: fewer than 10 samples, of one per 100 KiB, in the time of the pass";

    private const string NoEvents = "the runtime's events are switched off in this process";
    private const string LateEvents = "the runtime's events did not come in time";

    private const int MinimumInvocations = 3;
    private const int MaximumInvocations = 1000;
    private const double PassNs = 100e6;

    // Ten samples of equal objects are right within a third. Whether there are as many is told beforehand from the bytes:
    // if it depended on the samples, cases that were sampled by chance would be shown, with far too many objects.
    private const int MinimumSamples = 10;

    /// <summary>Measures one case.</summary>
    public static void Measure(CaseEngineOf entry)
    {
        LabCase labCase = entry.Case;
        if (labCase.Allocations.Count == 0)
        {
            return;
        }

        double bytes = labCase.Allocations.Average(sample => (double)sample.Bytes);
        int invocations = labCase.ExpectedNs <= 0
            ? MinimumInvocations
            : (int)Math.Clamp(PassNs / labCase.ExpectedNs, MinimumInvocations, MaximumInvocations);
        if (bytes == 0)
        {
            // Known exactly.
            labCase.Objects = default(ObjectEstimate);
        }
        else if (bytes * invocations < MinimumSamples * ObjectEstimate.BytesPerSample)
        {
            labCase.NoObjectsReason = TooLittle;
        }
        else
        {
            Sample(entry, invocations);
        }
    }

    private static void Sample(CaseEngineOf entry, int invocations)
    {
        using AllocationSampler? sampler = AllocationSampler.TryStart();
        if (sampler is null)
        {
            entry.Case.NoObjectsReason = NoEvents;
            return;
        }

        // The first invocation after another case may fill pools. Also, a thread begins to sample when what it had set
        // aside for small objects, up to 8 KiB, is used up.
        entry.Engine.Prepare();
        entry.Engine.Invoke();
        entry.Engine.Finish();

        var invoked = new List<(DateTime Begin, DateTime End)>(invocations);
        var watch = Stopwatch.StartNew();
        while (invoked.Count < invocations
            && (invoked.Count < MinimumInvocations || watch.Elapsed.TotalNanoseconds < 2 * PassNs))
        {
            // Preparing may allocate too, so only the invocation is between the readings.
            entry.Engine.Prepare();
            DateTime begin = DateTime.UtcNow;
            entry.Engine.Invoke();
            invoked.Add((begin, DateTime.UtcNow));
            entry.Engine.Finish();
        }

        if (sampler.Finish() is { } samples)
        {
            entry.Case.Objects = ObjectEstimate.Of(
                samples
                    .Where(sample => invoked.Exists(one => sample.Time >= one.Begin && sample.Time <= one.End))
                    .Select(sample => sample.Bytes),
                invoked.Count);
        }
        else
        {
            entry.Case.NoObjectsReason = LateEvents;
        }
    }
}
