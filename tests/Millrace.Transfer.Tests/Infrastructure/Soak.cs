namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>How often tests repeat what is random: few times as a rule, all of them with <c>./test --soak</c>.</summary>
internal static class Soak
{
    public static bool Asked { get; } = Environment.GetEnvironmentVariable("MILLRACE_SOAK") == "1";

    public static int Times(int usually, int soaking) => Asked ? soaking : usually;
}
