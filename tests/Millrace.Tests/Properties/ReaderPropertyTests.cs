using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Properties;

/// <summary>Whatever is done with a reader, it does what a byte array would.</summary>
/// <remarks>
/// The same cases in every run; <c>MILLRACE_SOAK=1</c> tries many more, new ones each time. A failure names the seed:
/// <c>MILLRACE_SEED=seed,gamma</c> repeats it.
/// </remarks>
public sealed class ReaderPropertyTests
{
    private const int CasesPerRun = 400;
    private const int CasesPerSoak = 5_000;

    [Fact]
    public void A_reader_behaves_like_a_byte_array()
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
            ReaderCases.Arbitrary,
            static (ReaderCase given) => ReaderModel.CheckAsync(given).GetAwaiter().GetResult()).Check(config);
    }
}
