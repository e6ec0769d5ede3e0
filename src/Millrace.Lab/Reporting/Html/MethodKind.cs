namespace Millrace.Lab.Reporting.Html;

/// <summary>Which methods are Millrace's own; reports colour them apart from the others.</summary>
internal static class MethodKind
{
    private static readonly string[] OwnPrefixes = ["FilePipe", "Millrace", "Http1", "Tus"];

    /// <summary>Whether it is one, by its name.</summary>
    public static bool IsOwn(string method) =>
        OwnPrefixes.Any(prefix => method.StartsWith(prefix, StringComparison.Ordinal));
}
