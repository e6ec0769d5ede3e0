namespace Millrace.Lab.Meters;

/// <summary>
/// Estimates how many managed objects an invocation allocates, in a separate pass: sampling makes allocating slower. It
/// needs what <see cref="AllocationPass"/> found.
/// </summary>
internal static class ObjectCountPass
{
    public const string Source =
        "AllocationSampled events of the runtime, in a separate pass; sampled: an estimate from one sample per 100 KiB";

    /// <summary>Why a case that allocates little has no number.</summary>
    public const string TooLittle =
        "it allocates too little: fewer than 10 samples, of one per 100 KiB, in the time of the pass";

    private const string NoEvents = "the runtime's events are switched off in this process";
    private const string LateEvents = "the runtime's events did not come in time";
    private const int MinimumInvocations = 3;
    private const int MaximumInvocations = 1000;
    private const double PassNs = 100e6;

    // Ten samples of equal objects are right within a third. Whether there are as many is decided beforehand from the bytes:
    // if it depended on the samples, cases that were sampled by chance would be shown, with far too many objects.
    private const int MinimumSamples = 10;

    public static void Measure(LabCase entry)
    {
        if (entry.Allocations.Count == 0)
        {
            return;
        }

        double bytes = entry.Allocations.Average(sample => (double)sample.Bytes);
        int invocations = entry.ExpectedNs <= 0
            ? MinimumInvocations
            : (int)Math.Clamp(PassNs / entry.ExpectedNs, MinimumInvocations, MaximumInvocations);
        if (bytes == 0)
        {
            // Known exactly.
            entry.Objects = default(ObjectEstimate);
        }
        else if (bytes * invocations < MinimumSamples * ObjectEstimate.BytesPerSample)
        {
            entry.NoObjectsReason = TooLittle;
        }
        else
        {
            Sample(entry, invocations);
        }
    }

    private static void Sample(LabCase entry, int invocations)
    {
        using AllocationSampler? sampler = AllocationSampler.TryStart();
        if (sampler is null)
        {
            entry.NoObjectsReason = NoEvents;
            return;
        }

        // The first invocation after another case may fill pools. Also, a thread begins to sample when the space it had set
        // aside for small objects, up to 8 KiB, is used up.
        entry.Prepare();
        entry.Invoke();
        entry.Finish();

        var invoked = new List<(DateTime Begin, DateTime End)>(invocations);
        var watch = Stopwatch.StartNew();
        while (invoked.Count < invocations
            && (invoked.Count < MinimumInvocations || watch.Elapsed.TotalNanoseconds < 2 * PassNs))
        {
            // Preparing may allocate too, so only the invocation is between the readings.
            entry.Prepare();
            DateTime begin = DateTime.UtcNow;
            entry.Invoke();
            invoked.Add((begin, DateTime.UtcNow));
            entry.Finish();
        }

        if (sampler.Finish() is { } samples)
        {
            entry.Objects = ObjectEstimate.Of(
                samples
                    .Where(sample => invoked.Exists(one => sample.Time >= one.Begin && sample.Time <= one.End))
                    .Select(sample => sample.Bytes),
                invoked.Count);
        }
        else
        {
            entry.NoObjectsReason = LateEvents;
        }
    }
}

/// <summary>How many objects were allocated, estimated from those that the runtime happened to sample.</summary>
/// <remarks>
/// The runtime throws a coin for every byte that is allocated and reports the object when the first one wins, so an object
/// of n bytes is reported with the chance c = 1 - (1 - 1/102,400)^n and stands for 1/c objects. The sum of these is right on
/// average, whatever the sizes; its variance is the sum of (1 - c)/c over all objects, of which the sampled ones give
/// (1 - c)/c² each. After "Randomized Allocation Sampling" (C. Nasarre, N. Falk, 2024), docs/design/features of
/// dotnet/runtime, which does the same for bytes.
/// </remarks>
internal readonly record struct ObjectEstimate(double Objects, double StdDev)
{
    public const double BytesPerSample = 102_400;

    public static ObjectEstimate Of(IEnumerable<double> sizes, int invocations)
    {
        double objects = 0;
        double variance = 0;
        foreach (double size in sizes)
        {
            double chance = 1 - Math.Pow(1 - (1 / BytesPerSample), size);
            objects += 1 / chance;
            variance += (1 - chance) / (chance * chance);
        }

        return new ObjectEstimate(objects / invocations, Math.Sqrt(variance) / invocations);
    }
}
