namespace Millrace.Testing;

/// <summary>How often random tests repeat: a few times normally, the full count with <c>./test --soak</c>.</summary>
public static class Soak
{
    public static bool Asked { get; } = Environment.GetEnvironmentVariable("MILLRACE_SOAK") == "1";

    public static int Times(int usually, int soaking) => Asked ? soaking : usually;
}
