namespace Millrace.Testing;

/// <summary>The transport of the servers under test.</summary>
/// <remarks><c>MILLRACE_TRANSPORT=Kestrel</c> runs the same tests over Kestrel's own sockets.</remarks>
public static class TestedTransport
{
    private const string Kestrel = "Kestrel";

    /// <summary>The name of a member of ServerTransport, and in lower case of the command's option.</summary>
    public static string Name { get; } =
        Environment.GetEnvironmentVariable("MILLRACE_TRANSPORT") is Kestrel ? Kestrel : "Millrace";

    /// <summary>Whether it is Kestrel's own sockets.</summary>
    public static bool IsKestrel => Name == Kestrel;
}
