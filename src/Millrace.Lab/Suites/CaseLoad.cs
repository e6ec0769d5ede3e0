namespace Millrace.Lab.Suites;

/// <summary>What results call a machine that other work keeps busy.</summary>
internal static class CaseLoad
{
    public const string Busy = "busy";
    public const string None = "none";
}
