using System.Globalization;
using System.Reflection;
using System.Text;
using Xunit.Sdk;

[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Runs a case with one seed after another: with the same few normally, with new ones until the time is over after
/// <c>./test --fuzz TIME</c>. A failure names the seed; <c>MILLRACE_FUZZ_SEED</c> runs that one alone.
/// </summary>
internal static class Fuzzing
{
    private const int Usual = 200;

    private static readonly int _seconds = Number("MILLRACE_FUZZ_SECONDS");
    private static readonly int _onlySeed = Number("MILLRACE_FUZZ_SEED");

    // All tests share the time; a theory is as many as it has rows.
    private static readonly int _tests = typeof(Fuzzing).Assembly.GetTypes().SelectMany(type => type.GetMethods())
        .Where(method => method.IsDefined(typeof(FactAttribute)))
        .Sum(method => Math.Max(1, method.GetCustomAttributes<InlineDataAttribute>().Count()));

    /// <param name="run">Returns the sent bytes, for the message of a failure.</param>
    /// <param name="check">The check after some cases; it costs more than a case.</param>
    public static async Task RunAsync(Func<Random, List<byte[]>, Task> run, Func<Task>? check = null)
    {
        int first = _onlySeed > 0 ? _onlySeed : _seconds > 0 ? Random.Shared.Next(1, int.MaxValue / 2) : 1;
        long end = Environment.TickCount64 + (1000L * _seconds / _tests);
        int seed = first;
        do
        {
            List<byte[]> input = [];
            try
            {
                await run(new Random(seed), input);
                if (check is not null && (seed - first) % 50 == 49)
                {
                    await check();
                }
            }
            catch (Exception exception)
            {
                throw new XunitException(
                    $"MILLRACE_FUZZ_SEED={seed} (first {first}): {exception.Message}\nInput:\n{Text(input)}", exception);
            }

            seed++;
        }
        while (_onlySeed == 0 && (_seconds > 0 ? Environment.TickCount64 < end : seed < first + Usual));

        if (check is not null)
        {
            await check();
        }
    }

    private static int Number(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int number) ? number : 0;

    // As C# would write it, so that a finding can be copied into a test.
    private static string Text(List<byte[]> input)
    {
        var text = new StringBuilder();
        foreach (byte[] part in input)
        {
            text.Append('"');
            foreach (byte value in part.AsSpan(0, Math.Min(part.Length, 4096)))
            {
                _ = value switch
                {
                    (byte)'\r' => text.Append("\\r"),
                    (byte)'\n' => text.Append("\\n"),
                    (byte)'"' or (byte)'\\' => text.Append('\\').Append((char)value),
                    >= 0x20 and < 0x7f => text.Append((char)value),
                    _ => text.Append(CultureInfo.InvariantCulture, $"\\u{(int)value:x4}"),
                };
            }

            text.Append(CultureInfo.InvariantCulture, $"\" ({part.Length} bytes)\n");
        }

        return text.ToString();
    }
}
