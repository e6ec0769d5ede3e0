using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Sequences;

/// <summary>Whatever the content, its pieces and the walks: they give what a byte array would.</summary>
/// <remarks>
/// The same cases in every run; <c>MILLRACE_SOAK=1</c> tries many more, new ones each time. A failure names the seed:
/// <c>MILLRACE_SEED=seed,gamma</c> repeats it.
/// </remarks>
public sealed class SequencePropertyTests
{
    private const int CasesPerRun = 3_000;
    private const int CasesPerSoak = 50_000;

    [Fact]
    public void Iterations_return_what_a_byte_array_would()
    {
        Config config = Config.QuickThrowOnFailure.WithMaxTest(CasesPerRun).WithReplay(20260101, 1);
        if (Environment.GetEnvironmentVariable("MILLRACE_SEED")?.Split(',') is [var seed, var gamma])
        {
            config = config.WithReplay(ulong.Parse(seed), ulong.Parse(gamma));
        }
        else if (Soak.Asked)
        {
            config = config.WithMaxTest(CasesPerSoak).WithNoReplay();
        }

        Prop.ForAll(
            SequenceCases.Arbitrary,
            static (SequenceCase given) => SequenceModel.CheckAsync(given).GetAwaiter().GetResult()).Check(config);
    }
}
