using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Infrastructure;

/// <summary>Checks that a property holds for random cases.</summary>
/// <remarks>
/// The same cases in every run, of which <c>./test</c> for each change tries the first third, because they take a quarter of the processor
/// time of all tests here; <c>MILLRACE_SOAK=1</c> tries many more, new ones each time. A failure names the seed:
/// <c>MILLRACE_SEED=seed,gamma</c> repeats it.
/// </remarks>
internal static class RandomCases
{
    public static void Check<T>(Arbitrary<T> cases, Func<T, Task> check, int perRun, int perSoak)
    {
        Config config = Config.QuickThrowOnFailure.WithMaxTest(perRun).WithReplay(20260101, 1);
        if (Environment.GetEnvironmentVariable("MILLRACE_SEED")?.Split(',') is [var seed, var gamma])
        {
            config = config.WithReplay(ulong.Parse(seed), ulong.Parse(gamma));
        }
        else if (Soak.Asked)
        {
            config = config.WithMaxTest(perSoak).WithNoReplay();
        }
        else if (Environment.GetEnvironmentVariable("MILLRACE_TIER") == "change")
        {
            config = config.WithMaxTest(perRun / 3);
        }

        Prop.ForAll(cases, (T given) => check(given).GetAwaiter().GetResult()).Check(config);
    }
}
