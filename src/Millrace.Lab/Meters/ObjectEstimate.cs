namespace Millrace.Lab.Meters;

/// <summary>How many objects were allocated, estimated from those that the runtime happened to sample.</summary>
/// <remarks>
/// The runtime throws a coin for every byte that is allocated and reports the object when the first one wins, so an object
/// of n bytes is reported with the chance c = 1 - (1 - 1/102,400)^n and stands for 1/c objects. The sum of these is right on
/// average, whatever the sizes; its variance is the sum of (1 - c)/c over all objects, of which the sampled ones give
/// (1 - c)/c² each. After "Randomized Allocation Sampling" (C. Nasarre, N. Falk, 2024), docs/design/features of
/// dotnet/runtime, which does the same for bytes.
/// </remarks>
/// <param name="Objects">The estimate, per invocation.</param>
/// <param name="StdDev">Its standard deviation by the sampling alone.</param>
internal readonly record struct ObjectEstimate(double Objects, double StdDev)
{
    /// <summary>One byte in so many wins.</summary>
    public const double BytesPerSample = 102_400;

    /// <summary>From the sizes of the sampled objects of some invocations.</summary>
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
