using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>One process's part of the suite: warm-up, then all cases in rounds.</summary>
internal static class BytesLaunch
{
    /// <summary>Measures. What was measured until it had to end is always returned.</summary>
    public static LaunchResult Run(LaunchRequest request, BytesLimits limits, LaunchSession session)
    {
        IReadOnlyList<ByteCase> plan = BytesPlan.Select(request.Options, request.Inputs, request.Server);
        session.Phase("warming up");
        using (EngineSet engines = EngineSet.Create(
            plan.DistinctBy(entry => (entry.Method, entry.Source.Name))
                .Select(entry => BytesPlan.Small(entry, request.Inputs) with { Role = null, Readers = 1 }),
            _ => NoCachePreparation.Instance,
            session.Meters))
        {
            session.WarmUp(engines);
        }

        TestFile[] files = [.. plan.Select(entry => entry.Source.File).Distinct()];
        if (Array.Find(files, file => CacheControl.WhyNoHot(file) is not null) is { } tooLarge)
        {
            session.Omit("cases of bytes", CacheControl.WhyNoHot(tooLarge)!);
            return session.Result();
        }

        Dictionary<TestFile, CacheControl> controls = files.ToDictionary(file => file, CacheControl.Open);
        try
        {
            // What a server has in its memory is as hot as can be.
            using EngineSet engines = EngineSet.Create(
                plan,
                entry => entry.Source.Address is null ? controls[entry.Source.File] : NoCachePreparation.Instance,
                session.Meters);
            session.Measure(
                engines, CacheNames.Hot, isCold: false, limits.OfOne(request.Count), after: TimeSpan.Zero);
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }

        return session.Result();
    }
}
